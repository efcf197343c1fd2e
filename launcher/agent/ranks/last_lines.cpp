#include "launcher/agent/ranks/last_lines.hpp"

#include "core/report/rank_prefix.hpp"
#include "core/report/record.hpp"
#include "core/text/quote.hpp"
#include "launcher/agent/ranks/native_frame.hpp"
#include "launcher/os/bounded_child.hpp"
#include "launcher/os/descriptor.hpp"
#include "launcher/os/small_file.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <climits>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::ranks {
namespace {

constexpr off_t max_end_bytes = 16384;
constexpr std::size_t max_fdinfo_bytes = 1024;

std::uint64_t inode_in(std::string_view fdinfo) {
  constexpr std::string_view name = "ino:\t";
  const auto at = fdinfo.find(name);
  if (at == std::string_view::npos) return 0;
  std::uint64_t inode = 0;
  std::from_chars(fdinfo.data() + at + name.size(), fdinfo.data() + fdinfo.size(), inode);
  return inode;
}

std::string end_of(const StderrFile& from) {
  const os::Descriptor file(
      open(from.path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat status {};
  if (!file || fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) ||
      status.st_uid != geteuid() || (from.inode != 0 && status.st_ino != from.inode))
    return {};
  std::string text(static_cast<std::size_t>(std::min(status.st_size, max_end_bytes)), '\0');
  const auto start = status.st_size - static_cast<off_t>(text.size());
  const auto size = pread(file.get(), text.data(), text.size(), start);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  // Leaves out a line whose beginning is missing.
  if (start > 0) text.erase(0, text.find('\n') + 1);  // npos + 1 is 0
  return text;
}

// What a terminal would show of it, made printable and shortened to the limit.
std::string presentable(std::string_view line) {
  while (line.ends_with('\r')) line.remove_suffix(1);
  line.remove_prefix(line.rfind('\r') + 1);  // npos + 1 is 0
  auto text = text::printable_path(line.substr(0, report::max_last_line_bytes));
  if (text.size() <= report::max_last_line_bytes) return text;
  text.resize(report::max_last_line_bytes);
  while (!text::is_utf8(text)) text.pop_back();
  return text;
}

std::vector<std::string> last_lines_if(std::string_view end_of_file, auto wanted) {
  std::vector<std::string> lines;
  while (!end_of_file.empty() && lines.size() < report::max_last_lines) {
    if (end_of_file.ends_with('\n')) end_of_file.remove_suffix(1);
    const auto start = end_of_file.rfind('\n') + 1;  // npos + 1 is 0
    auto line = presentable(end_of_file.substr(start));
    const bool says_something = !line.empty() && !is_native_frame(line);
    if (says_something && wanted(std::string_view(line))) lines.push_back(std::move(line));
    end_of_file = end_of_file.substr(0, start);
  }
  std::ranges::reverse(lines);
  return lines;
}

}  // namespace

std::optional<StderrFile> stderr_file(const std::filesystem::path& proc, pid_t pid) {
  const auto process = proc / fmt::to_string(pid);
  std::array<char, PATH_MAX> target{};
  const auto size = readlink((process / "fd/2").c_str(), target.data(), target.size());
  if (size <= 0 || static_cast<std::size_t>(size) == target.size()) return std::nullopt;
  std::string path(target.data(), static_cast<std::size_t>(size));
  if (!path.starts_with('/') || path.starts_with("/dev/") || path.ends_with(" (deleted)"))
    return std::nullopt;  // "pipe:[4711]", "socket:[4711]"
  const auto info = os::small_file(process / "fdinfo/2", max_fdinfo_bytes);
  return StderrFile{std::move(path), inode_in(info)};
}

std::vector<std::string> last_lines(std::string_view end_of_file) {
  return last_lines_if(end_of_file, [](std::string_view) { return true; });
}

LastLines last_lines_of_rank(std::string_view end_of_file, std::uint32_t rank) {
  const auto own = fmt::format("[rank{}]:", rank);
  auto lines =
      last_lines_if(end_of_file, [&own](std::string_view line) { return line.starts_with(own); });
  if (!lines.empty()) return {std::move(lines), false};
  return {last_lines_if(end_of_file, [](std::string_view line) { return !report::has_rank(line); }),
          true};
}

std::optional<LastLines> read_last_lines(const StderrFile& file, std::optional<std::uint32_t> among,
                                         std::chrono::milliseconds timeout) {
  const auto text = os::answer_of_child([&file] { return end_of(file); }, timeout);
  if (!text) return std::nullopt;
  if (among) return last_lines_of_rank(*text, *among);
  return LastLines{last_lines(*text), false};
}

}  // namespace muster::ranks
