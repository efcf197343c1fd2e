// Where torch's @record writes what ended a rank (TORCHELASTIC_ERROR_FILE): one directory per local
// rank, on the node, gone with the step.
#pragma once

#include "launcher/os/descriptor.hpp"

#include <cstddef>
#include <string>

namespace muster::agent {

class ErrorDirectory {
 public:
  // Empty path when it cannot be made: the training can do without.
  ErrorDirectory(const std::string& base, const std::string& run_id, std::size_t tasks);
  ErrorDirectory(const ErrorDirectory&) = delete;
  ErrorDirectory& operator=(const ErrorDirectory&) = delete;
  ~ErrorDirectory();

  [[nodiscard]] const std::string& path() const { return path_; }

  // Readable for its user only. Error when it cannot be written whole.
  static void write(const std::string& file, const std::string& content);

 private:
  std::string path_;
  os::Descriptor lock_;  // says to remove_abandoned() that somebody lives here
};

// Removes what agents of this user that were killed have left behind in `base`.
void remove_abandoned(const std::string& base);

}  // namespace muster::agent
