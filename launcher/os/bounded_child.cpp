#include "launcher/os/bounded_child.hpp"

#include "launcher/os/descriptor.hpp"
#include "launcher/os/open_files.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <string_view>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace muster::os {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t max_answer = std::size_t{1} << 20;
constexpr std::size_t whole_answer = 1;  // the last byte shows that the answer is complete

// If a hanging child kept the pipe open, a process reading the other end would wait forever.
void keep_only(int fd) {
  close_others(fd);
  const int null = open("/dev/null", O_RDWR);
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(null, standard);
}

[[noreturn]] void be_child(const std::function<std::string()>& work, int tell) {
  keep_only(tell);
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) std::signal(signal, SIG_DFL);
  constexpr rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  try {
    auto text = work() + '.';
    std::string_view rest = text;
    while (!rest.empty()) {
      const auto count = write(tell, rest.data(), rest.size());
      if (count <= 0) _exit(1);
      rest.remove_prefix(static_cast<std::size_t>(count));
    }
    _exit(0);
  } catch (...) {
    _exit(1);
  }
}

std::optional<std::string> hear(int from, Clock::time_point deadline) {
  std::string text;
  while (text.size() <= max_answer) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    pollfd ready{from, POLLIN, 0};
    const int count = poll(&ready, 1, static_cast<int>(std::max<long>(left.count(), 0)));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return std::nullopt;
    std::array<char, 4096> block{};
    const auto size = read(from, block.data(), block.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return std::nullopt;
    if (size > 0) {
      text.append(block.data(), static_cast<std::size_t>(size));
      continue;
    }
    if (!text.ends_with('.')) return std::nullopt;
    text.resize(text.size() - whole_answer);
    return text;
  }
  return std::nullopt;
}

// A child stuck in a driver cannot be reaped; when this process ends, init adopts it.
void end(pid_t child) {
  constexpr int tries = 20;
  constexpr std::chrono::milliseconds retry_interval{5};
  kill(child, SIGKILL);
  for (int i = 0; i < tries; ++i) {
    if (waitpid(child, nullptr, WNOHANG) != 0) return;
    std::this_thread::sleep_for(retry_interval);
  }
}

}  // namespace

AskedChild::AskedChild(const std::function<std::string()>& work, std::chrono::milliseconds timeout)
    : deadline_(Clock::now() + timeout) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return;
  hearing_ = Descriptor(ends[0]);
  const Descriptor telling(ends[1]);
  child_ = fork();
  if (child_ == 0) be_child(work, telling.get());
}

AskedChild::~AskedChild() {
  if (child_ > 0) end(child_);
}

std::optional<std::string> AskedChild::answer() {
  return child_ > 0 ? hear(hearing_.get(), deadline_) : std::nullopt;
}

std::optional<std::string> answer_of_child(const std::function<std::string()>& work,
                                           std::chrono::milliseconds timeout) {
  return AskedChild(work, timeout).answer();
}

}  // namespace muster::os
