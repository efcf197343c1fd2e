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
  // Where its environment is in its memory; 0 while it starts another program, and where the line does not
  // say.
  std::uint64_t environment_begin = 0;
  std::uint64_t environment_end = 0;

  // Of its flags: it has begun to end.
  [[nodiscard]] bool exits() const;
  // A thread of the kernel's own.
  [[nodiscard]] bool is_kernels() const;
};

// Nothing for any other text. The name in it is the process's own choice.
std::optional<ProcessStat> parse_stat(std::string_view text);

// Nothing where there is no such process, and where /proc hides it.
std::optional<ProcessStat> stat_of(const std::filesystem::path& proc, pid_t pid);

class Process {
 public:
  // Nothing where the process is no longer there, and where neither /proc nor a pidfd shows it.
  static std::optional<Process> open(pid_t pid);

  // The same, where it is still the process that `seen` was read from.
  static std::optional<Process> open(const ProcessStat& seen);

  [[nodiscard]] pid_t pid() const { return pid_; }
  // Nothing where /proc hid the process when it was opened.
  [[nodiscard]] std::optional<std::uint64_t> start_time() const { return start_time_; }

  // Readable from the process's end on; -1 where the kernel has no pidfds.
  [[nodiscard]] int descriptor() const { return pidfd_.get(); }

  // False also for a zombie.
  [[nodiscard]] bool runs() const;

  // It has begun to end: its sockets may be closed, and no signal changes how it ends. Until runs() is
  // false that takes as long as its memory is large and the node is busy.
  [[nodiscard]] bool ends() const;

  // False where it has gone, or is another user's.
  [[nodiscard]] bool signal(int number) const;

 private:
  Process(pid_t pid, std::optional<std::uint64_t> start_time, os::Descriptor pidfd);

  // Nothing where the process has gone, and where /proc hides it.
  [[nodiscard]] std::optional<ProcessStat> now() const;

  pid_t pid_;
  std::optional<std::uint64_t> start_time_;
  os::Descriptor pidfd_;
};

}  // namespace muster::ranks
