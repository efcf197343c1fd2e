#include "launcher/os/background_child.hpp"

#include "launcher/os/open_files.hpp"

#include <csignal>
#include <thread>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace muster::os {
namespace {

constexpr std::chrono::milliseconds look_interval{20};

[[noreturn]] void be_child(const std::function<void()>& work, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  close_others();
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(null, standard);
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) std::signal(signal, SIG_DFL);
  try {
    work();
  } catch (...) {
    _exit(1);
  }
  _exit(0);
}

}  // namespace

BackgroundChild::BackgroundChild(const std::function<void()>& work) {
  const pid_t parent = getpid();
  child_ = fork();
  if (child_ == 0) be_child(work, parent);
}

BackgroundChild::~BackgroundChild() {
  constexpr std::chrono::milliseconds time_to_go{200};
  if (!runs()) return;
  kill(child_, SIGKILL);
  wait_until(std::chrono::steady_clock::now() + time_to_go);
}

bool BackgroundChild::runs() {
  int status = 0;
  const pid_t ended = child_ > 0 ? waitpid(child_, &status, WNOHANG) : 0;
  if (ended > 0 && WIFEXITED(status)) exit_code_ = WEXITSTATUS(status);
  if (ended != 0) child_ = -1;
  return child_ > 0;
}

void BackgroundChild::wait_until(std::chrono::steady_clock::time_point deadline) {
  while (runs() && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(look_interval);
  }
}

}  // namespace muster::os
