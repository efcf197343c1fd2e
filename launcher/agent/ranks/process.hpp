// A process, told apart from any later one with the same ID: by its start time, and by a pidfd where
// the kernel has them (Linux 5.3). /proc may hide it (hidepid=): then the pidfd alone tells.
#pragma once

#include "launcher/os/descriptor.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

#include <sys/types.h>

namespace muster::ranks {

// A line of /proc/PID/stat.
struct ProcessStat {
  pid_t pid = 0;
  char state = '?';  // R, S, D, T, Z, ...
  pid_t parent = 0;
  pid_t group = 0;
  pid_t session = 0;
  std::uint32_t flags = 0;       // PF_* of its first thread
  std::uint64_t start_time = 0;  // clock ticks since boot
  // Where its environment is in its memory; 0 while it starts another program, or if the line does not say.
  std::uint64_t environment_begin = 0;
  std::uint64_t environment_end = 0;

  // It has begun to end, by its flags.
  [[nodiscard]] bool exits() const;
  // It is a kernel thread.
  [[nodiscard]] bool is_kernels() const;
};

// Nothing for any other text. The name in it is the process's own choice.
std::optional<ProcessStat> parse_stat(std::string_view text);

// Nothing if there is no such process, or if /proc hides it.
std::optional<ProcessStat> stat_of(const std::filesystem::path& proc, pid_t pid);

class Process {
 public:
  // Nothing if the process has gone, or if neither /proc nor a pidfd shows it.
  static std::optional<Process> open(pid_t pid);

  // The same, if it is still the process that `seen` was read from.
  static std::optional<Process> open(const ProcessStat& seen);

  [[nodiscard]] pid_t pid() const { return pid_; }
  // Nothing if /proc hid the process when it was opened.
  [[nodiscard]] std::optional<std::uint64_t> start_time() const { return start_time_; }

  // Readable once the process has ended; -1 if the kernel has no pidfds.
  [[nodiscard]] int descriptor() const { return pidfd_.get(); }

  // False for a zombie as well.
  [[nodiscard]] bool runs() const;

  // It has begun to end: its sockets may be closed, and no signal changes how it ends. With much memory and
  // on a busy node it may take long until runs() is false.
  [[nodiscard]] bool ends() const;

  // False if it has gone, or belongs to another user.
  [[nodiscard]] bool signal(int number) const;

 private:
  Process(pid_t pid, std::optional<std::uint64_t> start_time, os::Descriptor pidfd);

  // Nothing if the process has gone, or if /proc hides it.
  [[nodiscard]] std::optional<ProcessStat> now() const;

  pid_t pid_;
  std::optional<std::uint64_t> start_time_;
  os::Descriptor pidfd_;
};

}  // namespace muster::ranks
