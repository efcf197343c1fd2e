#include "launcher/os/background_child.hpp"

#include "launcher/os/open_files.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace muster::os {
namespace {

// The kernel closes a process's descriptors shortly before the process can be waited for.
constexpr std::chrono::milliseconds exit_interval{1};

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

[[noreturn]] void be_child(const std::function<void()>& work, int lifeline, std::vector<int> kept) {
  kept.push_back(lifeline);
  std::ranges::sort(kept);
  close_others(kept);
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

BackgroundChild::BackgroundChild(const std::function<void()>& work, std::vector<int> kept) {
  std::array<int, 2> ends{-1, -1};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return;
  const Descriptor lifeline(ends[0]);
  lifeline_ = Descriptor(ends[1]);
  child_ = fork();
  if (child_ == 0) be_child(work, lifeline.get(), std::move(kept));
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
  while (runs()) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    pollfd other_end{lifeline_.get(), 0, 0};
    if (left.count() <= 0) return;
    constexpr std::chrono::milliseconds longest = std::chrono::hours{1};
    if (poll(&other_end, 1, static_cast<int>(std::min(left, longest).count())) > 0)
      std::this_thread::sleep_for(exit_interval);
  }
}

}  // namespace muster::os
