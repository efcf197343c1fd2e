#include "launcher/agent/ranks/process.hpp"

#include <array>
#include <charconv>
#include <csignal>
#include <string>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

// The same number on every architecture; older headers lack it.
#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

namespace muster::ranks {
namespace {

// The words after the name, starting with the state (the third field).
class Words {
 public:
  explicit Words(std::string_view text) : rest_(text) {}

  std::string_view next() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \n"), rest_.size()));
    const auto word = rest_.substr(0, rest_.find_first_of(" \n"));
    rest_.remove_prefix(word.size());
    return word;
  }

  template <class Number>
  bool take(Number& number) {
    const auto word = next();
    const auto* const end = word.data() + word.size();
    const auto [stop, error] = std::from_chars(word.data(), end, number);
    return error == std::errc{} && stop == end;
  }

 private:
  std::string_view rest_;
};

}  // namespace

std::optional<ProcessStat> parse_stat(std::string_view text) {
  constexpr int words_before_flags = 2;         // tty (7) and its group
  constexpr int words_before_start = 12;        // minor faults (10) to itrealvalue (21)
  constexpr int words_before_environment = 27;  // vsize (23) to arg_end (49)
  ProcessStat stat;
  const auto name = text.find(" (");
  const auto name_end = text.rfind(')');  // the name may contain brackets
  if (name == std::string_view::npos || name_end == std::string_view::npos || name_end < name)
    return std::nullopt;
  Words front(text.substr(0, name));
  Words words(text.substr(name_end + 1));
  const auto state = words.next();
  if (state.size() != 1 || !front.take(stat.pid)) return std::nullopt;
  stat.state = state.front();
  if (!words.take(stat.parent) || !words.take(stat.group) || !words.take(stat.session))
    return std::nullopt;
  for (int word = 0; word < words_before_flags; ++word) static_cast<void>(words.next());
  if (!words.take(stat.flags)) return std::nullopt;
  for (int word = 0; word < words_before_start; ++word) static_cast<void>(words.next());
  if (!words.take(stat.start_time)) return std::nullopt;
  for (int word = 0; word < words_before_environment; ++word) static_cast<void>(words.next());
  if (!words.take(stat.environment_begin) || !words.take(stat.environment_end))
    stat.environment_begin = stat.environment_end = 0;
  return stat;
}

// A PF_* flag of linux/sched.h, which is not exported to user space.
bool ProcessStat::exits() const {
  constexpr std::uint32_t exiting = 0x4;
  return (flags & exiting) != 0;
}

bool ProcessStat::is_kernels() const {
  constexpr std::uint32_t kernel_thread = 0x200000;
  return (flags & kernel_thread) != 0;
}

std::optional<ProcessStat> stat_of(const std::filesystem::path& proc, pid_t pid) {
  const auto path = proc / fmt::to_string(pid) / "stat";
  const os::Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return std::nullopt;
  std::array<char, 1024> line{};
  const auto size = read(file.get(), line.data(), line.size());
  if (size <= 0) return std::nullopt;
  return parse_stat({line.data(), static_cast<std::size_t>(size)});
}

Process::Process(pid_t pid, std::optional<std::uint64_t> start_time, os::Descriptor pidfd)
    : pid_(pid), start_time_(start_time), pidfd_(std::move(pidfd)) {}

std::optional<Process> Process::open(pid_t pid) {
  // The order matters: once the pidfd refers to a process, everything read for that ID is about that process,
  // unless it has ended.
  os::Descriptor pidfd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  const auto stat = stat_of("/proc", pid);
  if (!stat && !pidfd) return std::nullopt;
  return Process(pid, stat ? std::optional(stat->start_time) : std::nullopt, std::move(pidfd));
}

std::optional<Process> Process::open(const ProcessStat& seen) {
  auto process = open(seen.pid);
  if (!process || process->start_time_ != seen.start_time) return std::nullopt;
  return process;
}

std::optional<ProcessStat> Process::now() const {
  const auto stat = stat_of("/proc", pid_);
  if (!stat) return std::nullopt;
  // Without a start time there is a pidfd: as long as its process runs, no other process has that ID.
  return (start_time_ ? stat->start_time == *start_time_ : runs()) ? stat : std::nullopt;
}

bool Process::runs() const {
  if (pidfd_) {
    pollfd end{pidfd_.get(), POLLIN, 0};
    return poll(&end, 1, 0) == 0;
  }
  const auto stat = now();
  return stat && stat->state != 'Z' && stat->state != 'X';
}

bool Process::ends() const {
  const auto stat = now();
  // If the first thread is a zombie, the other threads are still running.
  return stat && stat->exits() && stat->state != 'Z';
}

bool Process::signal(int number) const {
  if (pidfd_) return syscall(SYS_pidfd_send_signal, pidfd_.get(), number, nullptr, 0) == 0;
  return now() && kill(pid_, number) == 0;
}

}  // namespace muster::ranks
