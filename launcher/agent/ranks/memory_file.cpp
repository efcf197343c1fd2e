#include "launcher/agent/ranks/memory_file.hpp"

#include "core/text/number.hpp"
#include "launcher/agent/ranks/process.hpp"

#include <cstddef>
#include <system_error>

#include <fmt/format.h>

namespace muster::ranks {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_descriptors = 65536;

std::optional<MemoryFile> search(pid_t pid, std::string_view name) {
  std::error_code failed;
  std::size_t seen = 0;
  for (fs::directory_iterator at(fs::path("/proc") / fmt::to_string(pid) / "fd", failed), end;
       !failed && at != end && seen < max_descriptors; at.increment(failed), ++seen) {
    std::error_code gone;
    const auto link = fs::read_symlink(at->path(), gone);
    if (gone) continue;
    if (const auto number = memory_file_number(link.native(), name)) {
      return MemoryFile{at->path(), *number};
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<int> memory_file_number(std::string_view link, std::string_view name) {
  constexpr std::string_view head = "/memfd:";
  constexpr std::string_view tail = " (deleted)";
  if (!link.starts_with(head) || !link.ends_with(tail)) return std::nullopt;
  link.remove_prefix(head.size());
  if (!link.starts_with(name) || link.size() < name.size() + tail.size()) return std::nullopt;
  link.remove_prefix(name.size());
  link.remove_suffix(tail.size());
  return text::number<int>(link);
}

std::optional<MemoryFile> find_memory_file(pid_t pid, std::string_view name) {
  auto file = search(pid, name);
  const auto stat = file ? stat_of("/proc", pid) : std::nullopt;
  const auto parents = stat ? search(stat->parent, name) : std::nullopt;
  std::error_code gone;
  if (parents && fs::equivalent(file->path, parents->path, gone)) return std::nullopt;
  return file;
}

}  // namespace muster::ranks
