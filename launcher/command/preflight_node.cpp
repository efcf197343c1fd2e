// `muster preflight-node`: one node's part of preflight=, run in a separate step.
#include "core/error.hpp"
#include "launcher/command/commands.hpp"
#include "launcher/command/site_options.hpp"
#include "launcher/site/site.hpp"
#include "launcher/tools/preflight/node.hpp"

#include <cstdlib>
#include <memory>

namespace muster::command {

Command preflight_node_command() {
  auto site = std::make_shared<site::SiteOptions>();
  Command command("preflight-node", "test the network to other nodes, as the supervisor directs");
  add_site_options(command, *site);
  return command.internal().action([site] {
    const char* const text = std::getenv(preflight::step_variable);
    if (text == nullptr) throw Error("preflight-node is for the step that preflight= starts");
    const auto order = preflight::step_order(text);
    unsetenv(preflight::step_variable);
    return preflight::run_node(order, *site, site::current_environment());
  });
}

}  // namespace muster::command
