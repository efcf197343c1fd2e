#include "spank/process.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <ctime>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace muster::spank {
namespace {

constexpr std::size_t max_bytes = std::size_t{16} << 20;

std::string read_file(const char* path) {
  std::string text;
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return text;
  std::array<char, 4096> chunk{};
  ssize_t size = 0;
  while (text.size() < max_bytes && (size = read(file, chunk.data(), chunk.size())) > 0) {
    text.append(chunk.data(), static_cast<std::size_t>(size));
  }
  close(file);
  return text;
}

int exit_code(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

// An ignored SIGCHLD is inherited from the parent; the kernel would then keep no exit status of a child.
class KeptChildStatus {
 public:
  KeptChildStatus() {
    struct sigaction usual {};
    usual.sa_handler = SIG_DFL;
    sigaction(SIGCHLD, &usual, &before_);
  }
  ~KeptChildStatus() { sigaction(SIGCHLD, &before_, nullptr); }
  KeptChildStatus(const KeptChildStatus&) = delete;
  KeptChildStatus& operator=(const KeptChildStatus&) = delete;

 private:
  struct sigaction before_ {};
};

// Splits a buffer of strings that each end in a zero byte.
std::vector<std::string> zero_terminated(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = std::min(text.find('\0', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

}  // namespace

std::string own_executable() {
  std::array<char, 4096> path{};
  const auto size = readlink("/proc/self/exe", path.data(), path.size() - 1);
  return size > 0 ? std::string(path.data(), static_cast<std::size_t>(size)) : std::string();
}

std::vector<std::string> own_arguments() {
  return zero_terminated(read_file("/proc/self/cmdline"));
}

std::vector<std::string> initial_environment() {
  return zero_terminated(read_file("/proc/self/environ"));
}

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> result;
  result.reserve(words.size() + 1);
  for (const auto& word : words) result.push_back(const_cast<char*>(word.c_str()));
  result.push_back(nullptr);
  return result;
}

void execute(const std::vector<std::string>& command, const std::vector<std::string>& environment) {
  execve(command.front().c_str(), pointers(command).data(), pointers(environment).data());
}

std::optional<int> wait_for_child(pid_t child, std::chrono::milliseconds deadline) {
  const auto end = std::chrono::steady_clock::now() + deadline;
  auto pause = std::chrono::microseconds{200};
  while (true) {
    int status = 0;
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child) return status;
    if (ended < 0 && errno != EINTR) return std::nullopt;
    if (std::chrono::steady_clock::now() >= end) return std::nullopt;
    const timespec nap{0, std::chrono::nanoseconds(pause).count()};
    nanosleep(&nap, nullptr);
    pause = std::min<std::chrono::microseconds>(pause * 2, std::chrono::milliseconds{20});
  }
}

std::optional<int> run(const std::vector<std::string>& command, std::chrono::seconds deadline) {
  // A process stuck in the kernel never ends.
  constexpr std::chrono::milliseconds kill_timeout{1000};
  const KeptChildStatus kept;
  pid_t child = 0;
  if (posix_spawn(&child, command.front().c_str(), nullptr, nullptr, pointers(command).data(),
                  environ) != 0) {
    return std::nullopt;
  }
  if (const auto status = wait_for_child(child, deadline)) return exit_code(*status);
  kill(child, SIGKILL);
  wait_for_child(child, kill_timeout);
  return std::nullopt;
}

}  // namespace muster::spank
