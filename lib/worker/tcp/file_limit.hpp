// The limit on open files (RLIMIT_NOFILE) in rank 0's process, which is the user's. muster leaves the soft
// limit alone unless there are too many ranks for it, and then raises it only while rank 0 admits them.
#pragma once

#include <cstddef>
#include <cstdint>

#include <sys/resource.h>

namespace muster::worker::tcp {

// For rank 0 of a step with this many ranks. Throws Error if the hard limit has no room for one socket per
// rank.
void check_file_limit(std::uint32_t ranks);

// The lowest descriptor number for this many sockets: 0 if all fit below the soft limit. Otherwise the soft
// limit, which leaves the lower numbers to the program itself. A socket above the limit stays open when the
// limit is lowered again.
int lowest_socket_number(std::size_t sockets);

// While this object exists, this many sockets may be open.
class RaisedFileLimit {
 public:
  explicit RaisedFileLimit(std::size_t sockets);
  ~RaisedFileLimit();
  RaisedFileLimit(const RaisedFileLimit&) = delete;
  RaisedFileLimit& operator=(const RaisedFileLimit&) = delete;

 private:
  rlimit before_{};
  rlimit raised_{};
};

}  // namespace muster::worker::tcp
