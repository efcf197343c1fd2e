#include "launcher/os/command_output.hpp"

#include "launcher/os/descriptor.hpp"

#include <array>
#include <csignal>
#include <optional>
#include <string_view>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace muster::os {
namespace {

// A command's output, as long as it has time.
class Reader {
 public:
  Reader(int stream, std::chrono::steady_clock::time_point deadline, int interrupt)
      : stream_(stream), deadline_(deadline), interrupt_(interrupt) {}

  // Nothing at the stream's end, and once the time is over.
  std::string_view more() {
    using std::chrono::milliseconds;
    const auto left = std::chrono::ceil<milliseconds>(deadline_ - std::chrono::steady_clock::now());
    std::array<pollfd, 2> sources{{{stream_, POLLIN, 0}, {interrupt_, POLLIN, 0}}};
    late_ = left.count() <= 0 ||
            poll(sources.data(), sources.size(), static_cast<int>(left.count())) <= 0 ||
            sources[1].revents != 0;
    if (late_) return {};
    const auto size = read(stream_, chunk_.data(), chunk_.size());
    return size > 0 ? std::string_view(chunk_.data(), static_cast<std::size_t>(size))
                    : std::string_view();
  }

  [[nodiscard]] bool is_late() const { return late_; }

 private:
  const int stream_;
  const std::chrono::steady_clock::time_point deadline_;
  const int interrupt_;
  std::array<char, 4096> chunk_{};
  bool late_ = false;
};

// The child's streams, and its signal mask.
class Preparation {
 public:
  explicit Preparation(int output) {
    posix_spawn_file_actions_init(&files_);
    posix_spawn_file_actions_addopen(&files_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files_, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files_, output, STDERR_FILENO);
    posix_spawnattr_init(&attributes_);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK);
  }
  Preparation(const Preparation&) = delete;
  Preparation& operator=(const Preparation&) = delete;
  ~Preparation() {
    posix_spawn_file_actions_destroy(&files_);
    posix_spawnattr_destroy(&attributes_);
  }

  [[nodiscard]] std::optional<pid_t> spawn(const std::vector<std::string>& command) const {
    std::vector<char*> words;
    for (const auto& word : command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    pid_t child = 0;
    if (posix_spawnp(&child, words.front(), &files_, &attributes_, words.data(), environ) != 0) {
      return std::nullopt;
    }
    return child;
  }

 private:
  posix_spawn_file_actions_t files_{};
  posix_spawnattr_t attributes_{};
};

}  // namespace

CommandResult run_command(const std::vector<std::string>& command, const CommandBounds& bounds) {
  const auto deadline = std::chrono::steady_clock::now() + bounds.timeout;
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  const Descriptor output(ends[0]);
  Descriptor input(ends[1]);
  const auto child = Preparation(input.get()).spawn(command);
  input = Descriptor();
  if (!child) return {};
  CommandResult result;
  Reader reader(output.get(), deadline, bounds.interrupt);
  while (result.output.size() < bounds.max_bytes) {
    const auto more = reader.more();
    if (more.empty()) break;
    result.output.append(more);
  }
  const bool in_time = !reader.is_late() && std::chrono::steady_clock::now() < deadline;
  if (!in_time && bounds.time_to_end.count() > 0) {
    kill(*child, SIGTERM);
    Reader rest(output.get(), std::chrono::steady_clock::now() + bounds.time_to_end, -1);
    while (!rest.more().empty()) {
    }
  }
  // It has printed all, or will not in time: either way its output is no longer needed. A process
  // that ends has its exit code before its streams are closed, so that this does not change it.
  kill(*child, SIGKILL);
  int status = 0;
  result.succeeded = waitpid(*child, &status, 0) == *child && in_time && WIFEXITED(status) &&
                     WEXITSTATUS(status) == 0;
  return result;
}

std::string command_output(const std::vector<std::string>& command,
                           std::chrono::milliseconds timeout) {
  return run_command(command, {.timeout = timeout}).output;
}

}  // namespace muster::os
