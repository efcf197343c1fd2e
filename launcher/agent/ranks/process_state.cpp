#include "launcher/agent/ranks/process_state.hpp"

#include "core/logs/names.hpp"
#include "core/text/list.hpp"
#include "core/text/number.hpp"
#include "launcher/agent/ranks/process.hpp"
#include "launcher/agent/ranks/starter.hpp"
#include "launcher/os/small_file.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

namespace muster::ranks {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_line = 4096;
constexpr std::size_t max_status = std::size_t{64} << 10;

fs::path directory_of(const fs::path& proc, pid_t pid) {
  return proc / fmt::to_string(pid);
}

// The name of its file; empty if that is not known.
std::string executable_of(const fs::path& proc, pid_t pid) {
  std::error_code failed;
  return fs::read_symlink(directory_of(proc, pid) / "exe", failed).filename().native();
}

std::string first_line(const fs::path& file) {
  auto text = os::small_file(file, max_line);
  text.resize(std::min(text.find('\n'), text.size()));
  return text;
}

// Whether a mapped file is an interpreter or its library: /usr/bin/python3.11, /usr/lib/libpython3.11.so.1.0.
bool has_python(std::string_view maps) {
  return std::ranges::any_of(text::split(maps, '\n'), [](std::string_view line) {
    const auto file = line.substr(line.rfind('/') + 1);
    return file.starts_with("python") || file.starts_with("libpython");
  });
}

// Fields 14 and 15 of /proc/PID/stat; the process itself chooses the name in it.
std::uint64_t cpu_ms(std::string_view stat) {
  const auto name_end = stat.rfind(')');
  if (name_end == std::string_view::npos || name_end + 2 > stat.size()) return 0;
  const auto fields = text::split(stat.substr(name_end + 2), ' ');
  constexpr std::size_t user = 11;  // counted from the state, the third field
  if (fields.size() <= user + 1) return 0;
  const auto ticks = text::number<std::uint64_t>(fields[user]).value_or(0) +
                     text::number<std::uint64_t>(fields[user + 1]).value_or(0);
  static const auto per_second = static_cast<std::uint64_t>(std::max(sysconf(_SC_CLK_TCK), 1L));
  return ticks * 1000 / per_second;
}

// A kernel that hides its functions still shows the system call.
std::string wait_of(const fs::path& directory) {
  const auto function = first_line(directory / "wchan");
  if (!function.empty() && function != "0") return dump::line_of(function, dump::max_name_bytes);
  const auto call = first_line(directory / "syscall");
  const auto number = text::number<int>(std::string_view(call).substr(0, call.find(' ')));
  return number && *number >= 0 ? fmt::format("system call {}", *number) : std::string();
}

}  // namespace

dump::Sample process_state(const fs::path& proc, pid_t pid) {
  const auto directory = directory_of(proc, pid);
  const auto line = first_line(directory / "stat");
  const auto stat = ranks::parse_stat(line);
  if (!stat) return {.state = 'X'};
  const bool waits = stat->state != 'R' && stat->state != 'Z' && stat->state != 'X';
  return {.state = stat->state,
          .wait = waits ? wait_of(directory) : std::string(),
          .cpu_ms = cpu_ms(line)};
}

std::chrono::seconds age_of(const fs::path& proc, pid_t pid) {
  const auto stat = ranks::stat_of(proc, pid);
  const auto uptime = first_line(proc / "uptime");
  const auto now =
      text::number<std::uint64_t>(std::string_view(uptime).substr(0, uptime.find('.')));
  const auto ticks = sysconf(_SC_CLK_TCK);
  if (!stat || !now || ticks <= 0) return {};
  const auto begin = stat->start_time / static_cast<std::uint64_t>(ticks);
  return std::chrono::seconds(*now > begin ? *now - begin : 0);
}

std::string program_name(const fs::path& proc, pid_t pid) {
  return dump::line_of(first_line(directory_of(proc, pid) / "comm"), dump::max_name_bytes);
}

bool is_shell(const fs::path& proc, pid_t pid) {
  constexpr std::array<std::string_view, 11> names{"sh",   "bash", "dash", "ash",  "zsh",    "ksh",
                                                   "mksh", "fish", "csh",  "tcsh", "busybox"};
  return std::ranges::find(names, executable_of(proc, pid)) != names.end();
}

bool is_starter(const fs::path& proc, pid_t pid) {
  return is_starter(executable_of(proc, pid),
                    os::small_file(directory_of(proc, pid) / "cmdline", max_line));
}

bool is_in_mask(std::string_view status, std::string_view mask, int signal) {
  for (const auto line : text::split(status, '\n')) {
    if (!line.starts_with(mask) || !line.substr(mask.size()).starts_with(":\t")) continue;
    std::uint64_t bits = 0;
    const auto digits = line.substr(mask.size() + 2);
    const auto [stop, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), bits, 16);
    return error == std::errc{} && ((bits >> static_cast<unsigned>(signal - 1)) & 1) != 0;
  }
  return false;
}

bool handles(const fs::path& proc, pid_t pid, int signal) {
  const auto status = os::small_file(directory_of(proc, pid) / "status", max_status);
  return is_in_mask(status, "SigCgt", signal) || is_in_mask(status, "SigBlk", signal);
}

bool is_python(const fs::path& proc, pid_t pid) {
  std::error_code failed;
  const auto program = fs::read_symlink(directory_of(proc, pid) / "exe", failed);
  if (!failed && program.filename().native().find("python") != std::string::npos) return true;
  // Where the dynamic linker or an emulator was started with Python as its argument, `exe` is that program.
  return has_python(os::small_file(directory_of(proc, pid) / "maps", max_maps));
}

std::string logs_folder(const fs::path& proc, pid_t pid, std::uint32_t rank) {
  std::error_code failed;
  const auto file = fs::read_symlink(directory_of(proc, pid) / "fd" / "1", failed);
  if (failed || file.filename() != logs::file_name(rank, logs::Stream::out)) return {};
  const auto folder = file.parent_path().native();
  return dump::line_of(folder, dump::max_folder_bytes) == folder ? folder : std::string();
}

std::string why_no_tracing(const fs::path& proc, bool privileged) {
  const auto line = first_line(proc / "sys/kernel/yama/ptrace_scope");
  const auto scope = text::number<int>(line).value_or(0);  // kernels without Yama have no such file
  if (scope <= 0 || (privileged && scope < 3)) return {};
  return fmt::format("kernel.yama.ptrace_scope is {}: {} may read a rank's stacks", scope,
                     scope == 1   ? "only an ancestor process"
                     : scope == 2 ? "none of your processes"
                                  : "nobody");
}

}  // namespace muster::ranks
