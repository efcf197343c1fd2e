// Forks a child, tries it there, and reports the result as one byte through a pipe. It does not use the exit
// status, because a caller may ignore SIGCHLD or reap its children elsewhere.
#include "core/topology/hwloc/try_in_child.hpp"

#include "core/error.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace muster::topology::hwloc {
namespace {

// A crash here is an expected result: no core file, no output on the terminal, no endless loop, and
// none of the caller's own crash handling.
void be_quiet_and_brief() {
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) std::signal(signal, SIG_DFL);
  constexpr rlimit no_core{0, 0};
  constexpr rlimit seconds{10, 10};
  setrlimit(RLIMIT_CORE, &no_core);
  setrlimit(RLIMIT_CPU, &seconds);
  const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (null >= 0) dup2(null, STDERR_FILENO);
}

[[noreturn]] void run_child(const std::function<void()>& attempt, int tell) {
  be_quiet_and_brief();
  try {
    attempt();
    const char done = 1;
    _exit(::write(tell, &done, 1) == 1 ? 0 : 1);
  } catch (...) {
    _exit(1);
  }
}

bool hears_success(int from) {
  char byte = 0;
  ssize_t count = 0;
  do count = ::read(from, &byte, 1);
  while (count < 0 && errno == EINTR);
  return count == 1;
}

[[noreturn]] void cannot(const char* what) {
  throw Error(fmt::format("cannot {} to read a topology safely: {}", what,
                          std::generic_category().message(errno)));
}

void reap(pid_t child) {
  while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace

bool try_in_child(const std::function<void()>& attempt) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) cannot("open a pipe");
  const pid_t child = fork();
  if (child < 0) {
    const int why = errno;
    close(ends[0]);
    close(ends[1]);
    errno = why;
    cannot("start a process");
  }
  if (child == 0) run_child(attempt, ends[1]);
  close(ends[1]);
  const bool success = hears_success(ends[0]);
  close(ends[0]);
  reap(child);
  return success;
}

}  // namespace muster::topology::hwloc
