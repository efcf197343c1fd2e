// One pass over the processes on this node, as shown by /proc. All code that searches for processes uses it,
// and reads what it needs about each one.
#pragma once

#include "launcher/agent/ranks/process.hpp"

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <sys/types.h>

namespace muster::ranks {

inline constexpr std::size_t max_processes = 65536;  // per pass
// Limit on bytes of /proc/PID/environ.
inline constexpr std::size_t max_environment = std::size_t{4} << 20;

// A process that existed when the directory was read. Anything read about it later is empty if it has ended,
// or if this user may not read it.
class SeenProcess {
 public:
  SeenProcess(const std::filesystem::path& proc, pid_t pid);

  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] bool belongs_to(uid_t user) const;
  [[nodiscard]] std::optional<ProcessStat> stat() const;
  // "NAME=VALUE" strings, each terminated by a zero byte: the environment with which its program was started.
  [[nodiscard]] std::string environment() const;
  [[nodiscard]] std::string control_groups() const;
  // Another file in its directory.
  [[nodiscard]] std::string file(std::string_view name, std::size_t max_bytes) const;

 private:
  friend class ProcessTable;

  std::filesystem::path directory_;
  pid_t pid_;
};

class ProcessTable {
 public:
  using Visit = std::function<void(const SeenProcess&)>;

  explicit ProcessTable(std::filesystem::path proc = "/proc") : proc_(std::move(proc)) {}

  // Visits every process, or those of one user; at most max_processes of them, in no particular order.
  void each(const Visit& visit) const;
  void each_of(uid_t user, const Visit& visit) const;

  // Like SeenProcess::environment(), but waits while the process is in execve(), during which it briefly has
  // no environment. All waits of one table together take at most a second.
  [[nodiscard]] std::string settled_environment(const SeenProcess& process) const;

 private:
  using Clock = std::chrono::steady_clock;

  void walk(const std::optional<uid_t>& user, const Visit& visit) const;
  [[nodiscard]] bool may_get_an_environment(const SeenProcess& process) const;

  std::filesystem::path proc_;
  Clock::time_point began_ = Clock::now();
};

// The value of a variable in an environment(), as getenv() would find it; no value if it is not set.
std::optional<std::string_view> variable_in(std::string_view environment, std::string_view name);

}  // namespace muster::ranks
