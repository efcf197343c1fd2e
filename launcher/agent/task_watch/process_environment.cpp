#include "launcher/agent/task_watch/process_environment.hpp"

#include "core/text/take.hpp"
#include "launcher/agent/ranks/process_table.hpp"
#include "wire/variables.hpp"

#include <string_view>

#include <fmt/format.h>

namespace muster::task_watch {
namespace {

Environment entries(std::string_view rest) {
  Environment environment;
  while (!rest.empty()) {
    environment.add_entry(text::take(rest, '\0'));
  }
  return environment;
}

}  // namespace

std::optional<Environment> started_environment(const std::filesystem::path& proc, pid_t pid,
                                               const std::string& step) {
  auto environment = entries(ranks::SeenProcess(proc, pid).environment());
  if (environment.get(wire::planned_variable) != step ||
      environment.get("SLURM_TASK_PID") != fmt::to_string(pid))
    return std::nullopt;
  return environment;
}

}  // namespace muster::task_watch
