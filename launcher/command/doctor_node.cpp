// `muster doctor-node`: one node's part of `muster doctor`, run in a separate step.
#include "core/doctor/message.hpp"
#include "launcher/command/commands.hpp"
#include "launcher/os/host_name.hpp"
#include "launcher/os/output.hpp"
#include "launcher/site/site.hpp"
#include "launcher/tools/doctor/gather.hpp"

#include <cstdlib>
#include <memory>

namespace muster::command {

Command doctor_node_command() {
  auto surroundings = std::make_shared<doctor::Surroundings>();
  Command command("doctor-node", "print this node's facts");
  command.value("--plugstack", surroundings->plugstack, "plugstack.conf of the submit host")
      .value("--plugins", surroundings->plugin_directory, "Slurm's plugins on the submit host");
  return command.internal().action([surroundings] {
    surroundings->environment = site::current_environment();
    auto facts = doctor::gather(*surroundings);
    const auto& variables = surroundings->environment;
    if (const auto* const nodes = variables.if_set("SLURM_STEP_NODELIST"))
      facts.set("step.nodes", *nodes);
    const auto* const node = variables.if_set("SLURMD_NODENAME");
    os::print(doctor::to_lines(node == nullptr ? os::host_name() : *node, facts), "doctor");
    return EXIT_SUCCESS;
  });
}

}  // namespace muster::command
