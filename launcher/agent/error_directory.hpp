// Where torch's @record writes what ended a rank (TORCHELASTIC_ERROR_FILE): one directory per local
// rank, on the node, removed with the step. Its name has the node's: the base may be a shared file
// system, whose locks hold on one node only (Lustre's localflock, BeeGFS).
#pragma once

#include "launcher/os/descriptor.hpp"

#include <cstddef>
#include <string>

namespace muster::agent {

class ErrorDirectory {
 public:
  // Empty path if it cannot be made: the run does not depend on it.
  ErrorDirectory(const std::string& base, const std::string& run_id, const std::string& node,
                 std::size_t tasks);
  ErrorDirectory(const ErrorDirectory&) = delete;
  ErrorDirectory& operator=(const ErrorDirectory&) = delete;
  ~ErrorDirectory();

  [[nodiscard]] const std::string& path() const { return path_; }

  // Readable by its user only. Throws Error if it cannot be written whole.
  static void write(const std::string& file, const std::string& content);

 private:
  std::size_t tasks_;
  std::string path_;
  os::Descriptor lock_;  // shows remove_abandoned() that the directory is in use
};

// Removes what killed agents of this user have left behind in `base` on this node.
void remove_abandoned(const std::string& base, const std::string& node);

}  // namespace muster::agent
