// A process, distinguished from any later one with the same ID: by its start time, and by a pidfd if the
// kernel supports them (Linux 5.3). If /proc hides it (hidepid=), only the pidfd does so.
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
  // Where its environment is in its memory; 0 while it is starting another program, or if the line does not
  // say.
  std::uint64_t environment_begin = 0;
  std::uint64_t environment_end = 0;

  // Whether it has begun to exit, according to its flags.
  [[nodiscard]] bool exits() const;
  // Whether it is a kernel thread.
  [[nodiscard]] bool is_kernels() const;
};

// No value for any other text. The process itself chooses the name in it.
std::optional<ProcessStat> parse_stat(std::string_view text);

// No value if there is no such process, or if /proc hides it.
std::optional<ProcessStat> stat_of(const std::filesystem::path& proc, pid_t pid);

class Process {
 public:
  // No value if the process is gone, or if neither /proc nor a pidfd shows it.
  static std::optional<Process> open(pid_t pid);

  // Likewise, if it is still the process that `seen` was read from.
  static std::optional<Process> open(const ProcessStat& seen);

  [[nodiscard]] pid_t pid() const { return pid_; }
  // No value if /proc hid the process when it was opened.
  [[nodiscard]] std::optional<std::uint64_t> start_time() const { return start_time_; }

  // Readable once the process has ended; -1 if the kernel has no pidfds.
  [[nodiscard]] int descriptor() const { return pidfd_.get(); }

  // False also for a zombie.
  [[nodiscard]] bool runs() const;

  // Whether it has begun to exit: its sockets may be closed, and no signal changes how it ends. With much
  // memory, or on a busy node, it may take long until runs() is false.
  [[nodiscard]] bool ends() const;

  // False if it is gone, or belongs to another user.
  [[nodiscard]] bool signal(int number) const;

 private:
  Process(pid_t pid, std::optional<std::uint64_t> start_time, os::Descriptor pidfd);

  // No value if the process is gone, or if /proc hides it.
  [[nodiscard]] std::optional<ProcessStat> now() const;

  pid_t pid_;
  std::optional<std::uint64_t> start_time_;
  os::Descriptor pidfd_;
};

}  // namespace muster::ranks
