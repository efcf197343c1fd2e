// `muster check-node`: reports the state of this node between two attempts. The supervisor runs it in a
// separate step on the nodes that may be used next.
#include "core/restart/node_check.hpp"
#include "core/text/list.hpp"
#include "launcher/command/commands.hpp"
#include "launcher/os/output.hpp"
#include "launcher/tools/health/node_check.hpp"

#include <cstdlib>
#include <memory>
#include <string>

namespace muster::command {
namespace {

struct CheckNodeOptions {
  std::string steps;
  std::size_t health_timeout = 5;
  health::NodeCheckOrder order;
};

int check_node(const CheckNodeOptions& options) {
  auto order = options.order;
  for (const auto step : text::split(options.steps, ',')) {
    if (!step.empty()) order.steps.emplace_back(step);
  }
  order.health_timeout = std::chrono::seconds(options.health_timeout);
  const char* const node = std::getenv("SLURMD_NODENAME");
  os::print(to_line(health::check_node(order, node == nullptr ? "localhost" : node)), "result");
  return EXIT_SUCCESS;
}

}  // namespace

Command check_node_command() {
  auto options = std::make_shared<CheckNodeOptions>();
  Command command("check-node", "check whether this node is ready for another attempt");
  command.value("--steps", options->steps, "the steps of earlier attempts, separated by commas")
      .flag("--gpus", options->order.gpus, "wait for the GPUs' memory")
      .value("--health", options->order.health, "the command of health=")
      .number("--health-timeout", options->health_timeout, "time limit for health=, in seconds");
  return command.internal().action([options] { return check_node(*options); });
}

}  // namespace muster::command
