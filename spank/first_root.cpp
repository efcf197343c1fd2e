#include "spank/first_root.hpp"

#include <cerrno>

#include <fcntl.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace muster::spank {
namespace {

// A temporary failure of the file system does not count as hiding the file.
bool is_gone(const std::string& path) {
  return access(path.c_str(), F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR);
}

// The descriptor must be above those that slurmstepd opens in the meantime, so that what Slurm leaves open
// for tasks (PMIx's socket) has the same number as in other steps. It must be below 64, because a process
// starts with a table of 64 descriptors, and growing it in a process with threads waits for all CPUs
// (synchronize_rcu), which takes 7 ms.
int open_high(const char* path, int flags) {
  constexpr int above = 56;
  const int low = open(path, flags | O_CLOEXEC);
  if (low < 0) return low;
  const int high = fcntl(low, F_DUPFD_CLOEXEC, above);
  close(low);
  return high;
}

void close_one(int& fd) {
  if (fd >= 0) close(fd);
  fd = -1;
}

}  // namespace

void FirstRoot::remember(const Plugstack& line) {
  // Do not run later what was not trusted at first.
  if (!untrusted_agent(agent_program(line), line.trust_any_owner).empty()) return;
  namespace_ = open_high("/proc/self/ns/mnt", O_RDONLY);
  root_ = open_high("/", O_PATH | O_DIRECTORY);
  had_config_ = access(line.config.c_str(), F_OK) == 0;
}

bool FirstRoot::hides_agent(const Plugstack& line) const {
  if (namespace_ < 0 || root_ < 0) return false;
  return is_gone(agent_program(line)) || (had_config_ && is_gone(line.config));
}

bool FirstRoot::enter() const {
  constexpr auto keep = static_cast<uid_t>(-1);
  const auto user = geteuid();
  if (syscall(SYS_setresuid, keep, 0, keep) != 0) return false;
  const bool entered =
      setns(namespace_, CLONE_NEWNS) == 0 && fchdir(root_) == 0 && chroot(".") == 0;
  return syscall(SYS_setresuid, keep, user, keep) == 0 && entered;
}

void FirstRoot::forget() {
  close_one(namespace_);
  close_one(root_);
}

}  // namespace muster::spank
