// The file to which srun writes the standard error of all ranks, as in a batch job: torch 2.2 and later
// begins each line of a traceback with "[rank3]: ", which shows whose line it is.
#pragma once

#include "core/report/record.hpp"

#include <cstdint>
#include <string>
#include <string_view>

#include <sys/types.h>

namespace muster::ranks {

// Gives ranks that left no other reason their own lines of that text. Pure.
void add_lines_of_ranks(report::Record& record, std::string_view text, const std::string& file);

class SharedOutput {
 public:
  // The regular file behind the descriptor, from its current end on; ignores any other kind of descriptor.
  explicit SharedOutput(int descriptor);

  // The end of what has been written since. A child process reads it, with a short time limit, because the
  // file system may hang.
  [[nodiscard]] std::string text() const;

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;  // empty: there is nothing to read
  dev_t device_ = 0;
  ino_t inode_ = 0;
  off_t begin_ = 0;
};

}  // namespace muster::ranks
