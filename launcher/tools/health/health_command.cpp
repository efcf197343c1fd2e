#include "launcher/tools/health/health_command.hpp"

#include "core/text/quote.hpp"
#include "launcher/os/descriptor.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <string_view>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace muster::health {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;
using restart::Health;

constexpr milliseconds wait_interval{10};
constexpr milliseconds kill_timeout{200};
constexpr std::size_t max_kept = 4096;

// Starts it in its own process group, with empty standard input.
class Start {
 public:
  explicit Start(int output) {
    posix_spawn_file_actions_init(&files_);
    posix_spawn_file_actions_addopen(&files_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files_, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files_, output, STDERR_FILENO);
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes_, 0);
  }
  Start(const Start&) = delete;
  Start& operator=(const Start&) = delete;
  ~Start() {
    posix_spawn_file_actions_destroy(&files_);
    posix_spawnattr_destroy(&attributes_);
  }

  // Returns 0, or errno.
  int operator()(const std::string& command, pid_t& child) const {
    std::array<char*, 2> words{const_cast<char*>(command.c_str()), nullptr};
    return posix_spawnp(&child, words.front(), &files_, &attributes_, words.data(), environ);
  }

 private:
  posix_spawn_file_actions_t files_{};
  posix_spawnattr_t attributes_{};
};

// Waits a moment for more. Reads everything, but keeps only the beginning.
void read_more(const os::Descriptor& output, std::string& kept, milliseconds wait) {
  pollfd poller{output.get(), POLLIN, 0};
  const int ready = poll(&poller, 1, static_cast<int>(wait.count()));
  std::array<char, 4096> chunk{};
  const auto size = ready > 0 ? read(output.get(), chunk.data(), chunk.size()) : -1;
  if (size > 0) {
    kept.append(chunk.data(), std::min(static_cast<std::size_t>(size), max_kept - kept.size()));
  } else if (ready > 0) {
    std::this_thread::sleep_for(wait);  // the stream has ended, but the program has not
  }
}

std::optional<int> status_of(pid_t child) {
  int status = 0;
  return waitpid(child, &status, WNOHANG) == child ? std::optional(status) : std::nullopt;
}

void end(pid_t child) {
  kill(-child, SIGKILL);
  const auto deadline = Clock::now() + kill_timeout;
  while (!status_of(child) && Clock::now() < deadline) std::this_thread::sleep_for(wait_interval);
}

std::string first_line(std::string_view output) {
  output.remove_prefix(std::min(output.find_first_not_of(" \t\r\n"), output.size()));
  const auto line = output.substr(0, output.find_first_of("\r\n"));
  return line.empty() ? std::string() : ": " + text::printable(line);
}

HealthResult result_of(int status, std::string_view output) {
  if (WIFSIGNALED(status)) {
    return {Health::unclear, fmt::format("killed by signal {}", WTERMSIG(status))};
  }
  if (WEXITSTATUS(status) == 0) return {Health::well, ""};
  return {Health::ill, fmt::format("exit code {}{}", WEXITSTATUS(status), first_line(output))};
}

}  // namespace

HealthResult run_health_command(const std::string& command, milliseconds limit) {
  const auto deadline = Clock::now() + limit;
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return {Health::unclear, std::strerror(errno)};
  const os::Descriptor output(ends[0]);
  os::Descriptor input(ends[1]);
  pid_t child = 0;
  const int failure = Start(input.get())(command, child);
  input = os::Descriptor();
  if (failure != 0)
    return {Health::unclear, fmt::format("cannot be started: {}", std::strerror(failure))};
  std::string kept;
  while (Clock::now() < deadline) {
    read_more(output, kept, wait_interval);
    if (const auto status = status_of(child)) {
      read_more(output, kept, milliseconds{0});
      return result_of(*status, kept);
    }
  }
  end(child);
  return {Health::unclear, fmt::format("did not finish within {} s", limit.count() / 1000)};
}

}  // namespace muster::health
