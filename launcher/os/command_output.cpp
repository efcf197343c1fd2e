#include "launcher/os/command_output.hpp"

#include "launcher/os/descriptor.hpp"
#include "launcher/os/executable.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <optional>
#include <string_view>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace muster::os {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds exit_interval{1};
constexpr std::chrono::milliseconds time_behind_output{500};
// A process blocked in the kernel does not end.
constexpr std::chrono::milliseconds kill_timeout{1000};

// Reads a command's output until its deadline.
class Reader {
 public:
  Reader(int stream, Clock::time_point deadline, int interrupt)
      : stream_(stream), deadline_(deadline), interrupt_(interrupt) {}

  // Empty at the end of the stream, and after the deadline.
  std::string_view more() {
    using std::chrono::milliseconds;
    const auto left = std::chrono::ceil<milliseconds>(deadline_ - Clock::now());
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
  const Clock::time_point deadline_;
  const int interrupt_;
  std::array<char, 4096> chunk_{};
  bool late_ = false;
};

// Sets up the child's streams, signal mask and process group.
class Preparation {
 public:
  Preparation(int output, bool own_group) {
    posix_spawn_file_actions_init(&files_);
    posix_spawn_file_actions_addopen(&files_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files_, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files_, output, STDERR_FILENO);
    posix_spawnattr_init(&attributes_);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(
        &attributes_,
        static_cast<short>(POSIX_SPAWN_SETSIGMASK | (own_group ? POSIX_SPAWN_SETPGROUP : 0)));
  }
  Preparation(const Preparation&) = delete;
  Preparation& operator=(const Preparation&) = delete;
  ~Preparation() {
    posix_spawn_file_actions_destroy(&files_);
    posix_spawnattr_destroy(&attributes_);
  }

  [[nodiscard]] std::optional<pid_t> spawn(const std::vector<std::string>& command,
                                           const std::vector<std::string>* environment) const {
    const auto words = exec_pointers(command);
    const auto own = environment == nullptr ? std::vector<char*>() : exec_pointers(*environment);
    pid_t child = 0;
    if (posix_spawnp(&child, words.front(), &files_, &attributes_, words.data(),
                     own.empty() ? environ : own.data()) != 0) {
      return std::nullopt;
    }
    return child;
  }

 private:
  posix_spawn_file_actions_t files_{};
  posix_spawnattr_t attributes_{};
};

// No value if it has not ended by then, or if its status cannot be determined.
std::optional<int> status_until(pid_t child, Clock::time_point deadline) {
  while (true) {
    int status = 0;
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended != 0) return ended == child ? std::optional(status) : std::nullopt;
    if (Clock::now() >= deadline) return std::nullopt;
    std::this_thread::sleep_for(exit_interval);
  }
}

// Waits for its exit status until the deadline, because some programs close their streams before they exit.
std::optional<int> end(pid_t child, Clock::time_point deadline, bool whole_group) {
  if (const auto status = status_until(child, deadline)) return status;
  kill(whole_group ? -child : child, SIGKILL);
  return status_until(child, Clock::now() + kill_timeout);
}

}  // namespace

CommandResult run_command(const std::vector<std::string>& command, const CommandBounds& bounds) {
  const auto deadline = Clock::now() + bounds.timeout;
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  const Descriptor output(ends[0]);
  Descriptor input(ends[1]);
  const auto child =
      Preparation(input.get(), bounds.whole_group).spawn(command, bounds.environment);
  input = Descriptor();
  if (!child) return {};
  CommandResult result;
  Reader reader(output.get(), deadline, bounds.interrupt);
  while (result.output.size() < bounds.max_bytes) {
    const auto more = reader.more();
    if (more.empty()) break;
    result.output.append(more);
  }
  const bool in_time = !reader.is_late() && Clock::now() < deadline;
  if (!in_time && bounds.exit_timeout.count() > 0) {
    kill(*child, SIGTERM);
    Reader rest(output.get(), Clock::now() + bounds.exit_timeout, -1);
    while (!rest.more().empty()) {
    }
  }
  // A command that has more to print than is read here blocks until it is read.
  const bool has_printed_all = in_time && result.output.size() < bounds.max_bytes;
  const auto status = end(*child,
                          has_printed_all ? std::min(deadline, Clock::now() + time_behind_output)
                                          : Clock::time_point::min(),
                          bounds.whole_group);
  result.in_time = in_time;
  result.succeeded = in_time && status && WIFEXITED(*status) && WEXITSTATUS(*status) == 0;
  return result;
}

std::string command_output(const std::vector<std::string>& command,
                           std::chrono::milliseconds timeout) {
  return run_command(command, {.timeout = timeout}).output;
}

}  // namespace muster::os
