// Where torch's @record writes the exception that ended a rank (TORCHELASTIC_ERROR_FILE): one directory per
// local rank, on the node, removed with the step. The name includes the node's name, because the base may
// be on a shared file system whose locks only work within one node (Lustre's localflock, BeeGFS).
#pragma once

#include "launcher/os/descriptor.hpp"

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace muster::agent {

class ErrorDirectory {
 public:
  // The path is empty if the directory cannot be created: the run does not depend on it.
  ErrorDirectory(const std::string& base, const std::string& run_id, const std::string& node,
                 std::size_t tasks);
  ErrorDirectory(const ErrorDirectory&) = delete;
  ErrorDirectory& operator=(const ErrorDirectory&) = delete;
  ~ErrorDirectory();

  [[nodiscard]] const std::string& path() const { return path_; }

  // Only its user can read the file. Throws Error if it cannot be written in full.
  static void write(const std::string& file, const std::string& content);

 private:
  std::size_t tasks_;
  std::string path_;
  os::Descriptor lock_;  // shows AbandonedDirectories that the directory is in use
};

// Removes the directories that this user's killed agents have left in `bases` on this node. A base may have
// very many entries, so it is read bit by bit.
class AbandonedDirectories {
 public:
  AbandonedDirectories(std::vector<std::string> bases, std::string node)
      : bases_(std::move(bases)), node_(std::move(node)) {}

  // Examines at most `entries` more. False if nothing is left to examine.
  bool examine(std::size_t entries);

 private:
  std::vector<std::string> bases_;  // that have not been opened yet
  std::string node_;
  std::filesystem::directory_iterator next_;
};

}  // namespace muster::agent
