#include "launcher/os/open_files.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <vector>

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

namespace muster::os {
namespace {

constexpr int first_other = STDERR_FILENO + 1;

bool close_range(int first, unsigned last) {
  return syscall(SYS_close_range, first, last, 0U) == 0;
}

bool close_all_but(std::span<const int> kept) {
  int first = first_other;
  for (const int fd : kept) {
    if (fd > first && !close_range(first, static_cast<unsigned>(fd) - 1)) return false;
    first = std::max(first, fd + 1);
  }
  return close_range(first, ~0U);
}

// Collects all names first, because closing files changes the directory.
std::vector<int> open_files() {
  std::vector<int> files;
  std::error_code failed;
  for (std::filesystem::directory_iterator at("/proc/self/fd", failed), end; !failed && at != end;
       at.increment(failed)) {
    files.push_back(std::atoi(at->path().filename().c_str()));
  }
  return files;
}

// The user's limit, if it was raised. Kept for children, which have no other way to learn it.
std::optional<rlimit> users_limit;

}  // namespace

std::size_t allow_many_sockets() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  if (!users_limit) users_limit = limit;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  return limit.rlim_max;
}

void restore_file_limit() {
  if (users_limit) setrlimit(RLIMIT_NOFILE, &*users_limit);
}

void close_others(std::span<const int> kept) {
  if (close_all_but(kept)) return;
  for (const int fd : open_files()) {
    if (fd >= first_other && !std::ranges::binary_search(kept, fd)) close(fd);
  }
}

void close_others(int kept) {
  close_others(std::span(&kept, 1));
}

}  // namespace muster::os
