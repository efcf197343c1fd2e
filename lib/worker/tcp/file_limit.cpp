#include "worker/tcp/file_limit.hpp"

#include "worker/error.hpp"

#include <algorithm>
#include <limits>
#include <string>

namespace muster::worker::tcp {
namespace {

constexpr rlim_t own_files = 256;  // files for the program itself

rlim_t needed_files(std::size_t sockets) {
  return sockets + own_files;
}

rlimit file_limit() {
  rlimit limit{RLIM_INFINITY, RLIM_INFINITY};
  getrlimit(RLIMIT_NOFILE, &limit);
  return limit;
}

}  // namespace

void check_file_limit(std::uint32_t ranks) {
  const auto limit = file_limit();
  if (limit.rlim_max > ranks) return;  // slightly fewer than needed may be enough
  throw Error{MUSTER_ERR_TRANSPORT,
              "rank 0 needs a socket for each of " + std::to_string(ranks) +
                  " ranks, but may open only " + std::to_string(limit.rlim_max) +
                  " files: raise its hard limit (ulimit -Hn), or use PMIx (srun --mpi=pmix)"};
}

int lowest_socket_number(std::size_t sockets) {
  const auto soft = file_limit().rlim_cur;
  if (soft >= needed_files(sockets)) return 0;
  return static_cast<int>(std::min<rlim_t>(soft, std::numeric_limits<int>::max()));
}

RaisedFileLimit::RaisedFileLimit(std::size_t sockets) : before_(file_limit()), raised_(before_) {
  if (before_.rlim_cur >= needed_files(sockets)) return;
  raised_.rlim_cur = std::min(before_.rlim_cur + needed_files(sockets), before_.rlim_max);
  setrlimit(RLIMIT_NOFILE, &raised_);
}

RaisedFileLimit::~RaisedFileLimit() {
  if (raised_.rlim_cur == before_.rlim_cur) return;
  // The program may have set a different limit in another thread in the meantime.
  if (file_limit().rlim_cur == raised_.rlim_cur) setrlimit(RLIMIT_NOFILE, &before_);
}

}  // namespace muster::worker::tcp
