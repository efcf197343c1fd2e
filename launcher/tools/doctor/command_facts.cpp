// Whether an agent on this host may start Slurm's commands.
#include "core/file/trusted_file.hpp"
#include "launcher/agent/slurm_command.hpp"
#include "launcher/tools/doctor/gather.hpp"

#include <array>

namespace muster::doctor {
namespace {

namespace fs = std::filesystem;

// Slurm installs slurmstepd in the sbin next to the commands' bin.
fs::path slurmstepd_beside(const std::string& command, const Environment& environment) {
  const auto found = agent::find_slurm_command(command, environment, {.anybody = true}).path;
  return found.empty() ? fs::path() : found.parent_path().parent_path() / "sbin" / "slurmstepd";
}

}  // namespace

void add_command_facts(const Surroundings& surroundings, Facts& facts) {
  constexpr std::array<const char*, 3> commands{"squeue", "scontrol", "scancel"};
  const auto& environment = surroundings.environment;
  const auto owners =
      agent::slurm_owners(file::trust_root(), slurmstepd_beside(commands.front(), environment));
  for (const auto* const command : commands) {
    const auto found = agent::find_slurm_command(command, environment, owners);
    if (!found.path.empty()) continue;
    facts.set("slurm.commands", found.why);
    return;
  }
  facts.set("slurm.commands", "usable");
}

}  // namespace muster::doctor
