#include "launcher/os/background_child.hpp"

#include "launcher/os/open_files.hpp"

#include <array>
#include <csignal>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace muster::os {
namespace {

constexpr std::chrono::milliseconds look_interval{20};

// Ends this process when no process holds the pipe's other end any more. PR_SET_PDEATHSIG would do so at the
// end of the thread that forked.
void end_with_parent(int lifeline) {
  std::signal(SIGIO, SIG_DFL);  // the default action is to end the process
  sigset_t io;
  sigemptyset(&io);
  sigaddset(&io, SIGIO);
  pthread_sigmask(SIG_UNBLOCK, &io, nullptr);
  fcntl(lifeline, F_SETOWN, getpid());
  fcntl(lifeline, F_SETFL, fcntl(lifeline, F_GETFL) | O_ASYNC);
  pollfd end{lifeline, 0, 0};
  if (poll(&end, 1, 0) != 0) _exit(1);  // the parent ended before this point
}

[[noreturn]] void be_child(const std::function<void()>& work, int lifeline) {
  close_others(lifeline);
  end_with_parent(lifeline);
  restore_file_limit();
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
  std::array<int, 2> ends{-1, -1};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return;
  const Descriptor lifeline(ends[0]);
  lifeline_ = Descriptor(ends[1]);
  child_ = fork();
  if (child_ == 0) be_child(work, lifeline.get());
}

BackgroundChild::~BackgroundChild() {
  constexpr std::chrono::milliseconds exit_timeout{200};
  if (!runs()) return;
  kill(child_, SIGKILL);
  wait_until(std::chrono::steady_clock::now() + exit_timeout);
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
