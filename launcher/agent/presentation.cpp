#include "launcher/agent/presentation.hpp"

#include "core/error.hpp"
#include "core/picture/draw.hpp"
#include "core/plan/step_plan.hpp"
#include "launcher/agent/context.hpp"
#include "launcher/agent/planning.hpp"
#include "launcher/topology/node_topology.hpp"

#include <optional>

#include <fmt/format.h>

namespace muster::agent {
namespace {

bool is_to_be_drawn(const StepContext& context, const plan::NodePlan& plan) {
  const auto& wanted = context.attempt.draw;
  return wanted == plan.node || (wanted == step::rank_0s_node && plan.node_rank == 0);
}

std::optional<plan::Drawing> drawing_of(const StepContext& context, const plan::NodePlan& plan) {
  if (!is_to_be_drawn(context, plan)) return std::nullopt;
  const auto node = topology::node_topology({.site = context.site,
                                             .environment = context.environment,
                                             .node = context.node_name(),
                                             .scan = topology::hwloc::Scan::devices});
  return picture::draw(node.topology, plan);
}

// The ranks' output goes to files, and there is no supervisor to show it. One node then tells the user.
bool shows_nothing(const StepContext& context) {
  const auto& request = context.request();
  return request.logs && !request.supervise && request.view.show != option::View::Show::none &&
         context.is_leader() && !context.attempt.quiet;
}

}  // namespace

std::vector<std::string> present(const StepContext& context, const PlannedNode& node) {
  const auto& request = context.request();
  auto remarks = context.attempt.quiet ? std::vector<std::string>() : node.plan.warnings;
  if (shows_nothing(context)) {
    remarks.emplace_back(
        "with supervise=off, muster shows no output; see the files in the logs= directory");
  }
  const bool shown = request.explain || request.dry_run;
  const bool kept = !node.plan.logs.empty() && context.supervisor();
  if (!shown && !kept) return remarks;
  const auto text =
      to_text(node.plan, node.rendezvous, node.profile, drawing_of(context, node.plan));
  const auto answer = context.supervisor().ask("plan", text, context.deadline());
  if (!shown) return remarks;
  if (answer && answer->empty()) return {};  // the warnings were shown with the plan
  const auto why = fmt::format("cannot show the plan: {}",
                               answer.value_or("no answer from the supervisor on the submit host"));
  if (request.dry_run) throw Error(why);
  auto warnings = remarks;
  warnings.push_back(why);
  return warnings;
}

}  // namespace muster::agent
