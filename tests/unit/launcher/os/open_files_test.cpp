#include "launcher/os/open_files.hpp"

#include <array>
#include <cerrno>
#include <cstddef>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace muster::os {
namespace {

enum class Kernel { own, before_5_9 };

// From here on this process behaves as on a kernel without close_range().
bool become_old() {
  std::array<sock_filter, 4> rules{
      sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 436, 0, 1),
      sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
      sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const sock_fprog program{rules.size(), rules.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0 &&
         syscall(436, ~0U, ~0U, 0U) == -1 && errno == ENOSYS;
}

bool is_open(int fd) {
  return fcntl(fd, F_GETFD) != -1;
}

// A child opens five files, keeps first four of them, and then only the second. Returns 0 if exactly these,
// and the standard ones, are left each time.
int kept_what_it_named(Kernel kernel) {
  if (kernel == Kernel::before_5_9 && !become_old()) return 2;
  std::array<int, 5> all{};
  for (int& file : all) file = dup(STDIN_FILENO);
  close_others(std::array{-1, STDIN_FILENO, all[0], all[1], all[2], all[4]});
  if (is_open(all[3]) || !is_open(all[4])) return 5;
  const std::array<int, 3> files{all[0], all[1], all[2]};
  close_others(files[1]);
  if (is_open(files[0]) || !is_open(files[1]) || is_open(files[2])) return 3;
  close_others();
  return !is_open(files[1]) && is_open(STDOUT_FILENO) && is_open(STDERR_FILENO) ? 0 : 4;
}

int code_of_child(Kernel kernel) {
  const pid_t child = fork();
  if (child == 0) _exit(kept_what_it_named(kernel));
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(OpenFilesTest, AChildKeepsTheStandardFilesAndTheOneThatItNames) {
  EXPECT_EQ(code_of_child(Kernel::own), 0);
}

TEST(OpenFilesTest, AChildOnAKernelBefore5_9DoesSo) {
  EXPECT_EQ(code_of_child(Kernel::before_5_9), 0);
}

}  // namespace
}  // namespace muster::os
