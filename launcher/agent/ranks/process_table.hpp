// One look at the processes of this node, as /proc shows them. Everybody who looks for processes uses this
// walk, and reads of each process what it needs.
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

inline constexpr std::size_t max_processes = 65536;                   // of one look
inline constexpr std::size_t max_environment = std::size_t{4} << 20;  // bytes of /proc/PID/environ

// A process that was there when the directory was read. Whatever is read of it later is empty if it has
// ended, or if this user may not read it.
class SeenProcess {
 public:
  SeenProcess(const std::filesystem::path& proc, pid_t pid);

  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] bool belongs_to(uid_t user) const;
  [[nodiscard]] std::optional<ProcessStat> stat() const;
  // "NAME=VALUE" strings that each end with a zero byte: those with which it started its program.
  [[nodiscard]] std::string environment() const;
  [[nodiscard]] std::string control_groups() const;
  // Another file of its directory.
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

  // Visits every process, or those of one user; at most max_processes of them, in no order.
  void each(const Visit& visit) const;
  void each_of(uid_t user, const Visit& visit) const;

  // As SeenProcess::environment(), but waits while the process is in execve(): for a moment such a process
  // has no environment. All waits of one table together take at most a second.
  [[nodiscard]] std::string settled_environment(const SeenProcess& process) const;

 private:
  using Clock = std::chrono::steady_clock;

  void walk(const std::optional<uid_t>& user, const Visit& visit) const;
  [[nodiscard]] bool may_get_an_environment(const SeenProcess& process) const;

  std::filesystem::path proc_;
  Clock::time_point began_ = Clock::now();
};

// The value of a variable in an environment() as getenv() finds it; nothing if it is not there.
std::optional<std::string_view> variable_in(std::string_view environment, std::string_view name);

}  // namespace muster::ranks
