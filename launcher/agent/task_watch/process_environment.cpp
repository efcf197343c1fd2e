#include "launcher/agent/task_watch/process_environment.hpp"

#include "wire/variables.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <string_view>

#include <fmt/format.h>

namespace muster::task_watch {
namespace {

std::string read(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string text;
  std::array<char, 4096> block{};
  while (text.size() < max_environment &&
         (stream.read(block.data(), block.size()) || stream.gcount() > 0)) {
    text.append(block.data(), static_cast<std::size_t>(stream.gcount()));
  }
  return text;
}

Environment entries(std::string_view text) {
  Environment environment;
  while (!text.empty()) {
    const auto entry = text.substr(0, text.find('\0'));
    environment.add_entry(entry);
    text.remove_prefix(std::min(entry.size() + 1, text.size()));
  }
  return environment;
}

}  // namespace

std::optional<Environment> started_environment(const std::filesystem::path& proc, pid_t pid,
                                               const std::string& step) {
  auto environment = entries(read(proc / fmt::to_string(pid) / "environ"));
  if (environment.get(wire::planned_variable) != step ||
      environment.get("SLURM_TASK_PID") != fmt::to_string(pid))
    return std::nullopt;
  return environment;
}

}  // namespace muster::task_watch
