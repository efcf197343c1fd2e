#include "launcher/os/open_files.hpp"

#include <sys/resource.h>

namespace muster::os {

std::size_t allow_many_sockets() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  return limit.rlim_max;
}

}  // namespace muster::os
