#include "launcher/supervise/slurm_mpi.hpp"

#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <span>
#include <string_view>
#include <system_error>

#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace muster::supervise {
namespace {

constexpr std::size_t max_bytes = 65536;
constexpr std::chrono::seconds timeout{10};

// More of the stream; nothing at its end and at the deadline.
std::string_view read_before(std::chrono::steady_clock::time_point deadline, int stream,
                             std::span<char> chunk) {
  using std::chrono::milliseconds;
  const auto left = std::chrono::ceil<milliseconds>(deadline - std::chrono::steady_clock::now());
  pollfd poller{stream, POLLIN, 0};
  if (left.count() <= 0 || poll(&poller, 1, static_cast<int>(left.count())) <= 0) return {};
  const auto size = read(stream, chunk.data(), chunk.size());
  return size > 0 ? std::string_view(chunk.data(), static_cast<std::size_t>(size))
                  : std::string_view();
}

// Both streams of a command, at most 64 KiB of them; what it has printed by the deadline.
std::string output_of(const std::string& program, const char* argument) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return {};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  std::array<char*, 3> arguments{const_cast<char*>(program.c_str()), const_cast<char*>(argument),
                                 nullptr};
  pid_t child = 0;
  const int failed =
      posix_spawnp(&child, program.c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string text;
  std::array<char, 4096> chunk{};
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  while (failed == 0 && text.size() < max_bytes) {
    const auto more = read_before(deadline, ends[0], chunk);
    if (more.empty()) break;
    text.append(more);
  }
  close(ends[0]);
  if (failed == 0) {
    // It has printed all, or will not in time: either way its output is no longer needed.
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }
  return text;
}

bool is_plugin(const std::string& name, std::string_view kind) {
  return name.starts_with(kind) && name.ends_with(".so");
}

}  // namespace

std::optional<bool> has_pmix_in(const std::string& plugin_directory) {
  std::optional<bool> found;
  std::error_code unreadable;
  for (std::filesystem::directory_iterator entry(plugin_directory, unreadable), end;
       !unreadable && entry != end; entry.increment(unreadable)) {
    const auto name = entry->path().filename().string();
    if (is_plugin(name, "mpi_pmix")) return true;
    if (is_plugin(name, "mpi_")) found = false;
  }
  return found;
}

bool has_pmix(const std::string& srun) {
  // One plugin name per line; "pmix" or "pmix_v4" is among them if there is PMIx.
  return output_of(srun, "--mpi=list").find("pmix") != std::string::npos;
}

}  // namespace muster::supervise
