#include "launcher/supervisor/attempts/own_allocation.hpp"

#include "core/error.hpp"
#include "core/srun/components.hpp"
#include "core/srun/job_of_line.hpp"
#include "core/srun/salloc.hpp"
#include "core/srun/step_size.hpp"
#include "launcher/os/command_output.hpp"
#include "launcher/os/output.hpp"
#include "launcher/os/own_command.hpp"
#include "launcher/slurm/salloc_process.hpp"
#include "launcher/slurm/srun.hpp"
#include "launcher/supervisor/supervision/remarks.hpp"

#include <chrono>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace muster::attempts {
namespace {

constexpr std::chrono::seconds help_timeout{5};
constexpr const char* own_allocation_variable = "MUSTER_OWN_ALLOCATION";

// The sum over all components; no value if one of them does not say how many nodes it needs.
std::optional<std::uint32_t> nodes_of(const srun::Command& command,
                                      const Environment& environment) {
  std::uint32_t sum = 0;
  for (const auto& component : srun::component_commands(command)) {
    const auto nodes = srun::step_size(component, environment).nodes;
    if (!nodes) return std::nullopt;
    sum += *nodes;
  }
  return sum;
}

}  // namespace

bool needs_allocation(const request::Request& request, const srun::Command& command,
                      const Environment& environment) {
  if (!request.supervise || request.dry_run) return false;
  if (request.restarts == 0 && request.spares == 0 && !request.nodes && !request.stop &&
      !request.preflight && !request.groups && !request.drain) {
    return false;
  }
  return srun::job_of_line(command, environment).empty();
}

int run_in_own_allocation(const request::Request& request, const srun::Command& command,
                          const Environment& environment) {
  const auto known_nodes = nodes_of(command, environment);
  const auto nodes = known_nodes.value_or(1);
  if (request.nodes && nodes < request.nodes->min) {
    throw Error(
        fmt::format("nodes={} sets the smallest number of nodes to continue with, but this srun "
                    "uses {}; set the number of nodes at the start with srun --nodes=N",
                    request.nodes->min, nodes));
  }
  const auto salloc = srun::salloc_beside(command.words.front());
  const auto help = os::command_output({salloc, "--help"}, help_timeout);
  const auto words = srun::salloc_command(srun::salloc_options(help), command, environment,
                                          request.spares, os::own_command());
  setenv(own_allocation_variable, "1", 1);
  const auto say = [&command](const std::string& line) {
    if (!supervision::is_quiet(command)) os::say(os::Severity::progress, line);
  };
  return slurm::end_like(slurm::run_salloc(
      words, known_nodes ? std::optional(nodes + request.spares) : std::nullopt, say));
}

bool is_in_own_allocation(const Environment& environment) {
  return environment.contains(own_allocation_variable);
}

void forget_own_allocation() {
  unsetenv(own_allocation_variable);
}

}  // namespace muster::attempts
