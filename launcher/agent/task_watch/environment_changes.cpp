#include "launcher/agent/task_watch/environment_changes.hpp"

#include "core/rendezvous/endpoint.hpp"

#include <fmt/format.h>

namespace muster::task_watch {
namespace {

bool leads_to(const rendezvous::Rendezvous& place, const std::string& value) {
  return value == place.address || value == fmt::to_string(place.port) ||
         value == rendezvous::endpoint_text(place.address, place.port);
}

}  // namespace

EnvironmentChanges::EnvironmentChanges(const plan::NodePlan& plan,
                                       const rendezvous::Rendezvous& place) {
  for (const auto& task : plan.tasks) {
    std::vector<Variable> meeting;
    std::vector<Variable> identity;
    for (const auto& variable : task.variables) {
      if (leads_to(place, variable.value)) {
        meeting.push_back({variable.name, variable.value});
      } else if (variable.identity) {
        identity.push_back({variable.name, variable.value});
      }
    }
    meeting.insert(meeting.end(), identity.begin(), identity.end());
    tasks_.push_back(std::move(meeting));
  }
}

std::string_view EnvironmentChanges::replaced(std::uint32_t local_id,
                                              const Environment& seen) const {
  if (local_id >= tasks_.size()) return {};
  for (const auto& [name, value] : tasks_[local_id]) {
    const auto* const found = seen.if_set(name);
    if (found == nullptr || *found != value) return name;
  }
  return {};
}

std::string replaced_line(std::string_view variable) {
  return fmt::format(
      "{} was replaced after muster had set it: another plugin, a TaskProlog or the program's "
      "own script sets it too; put muster.so's line last in plugstack.conf, or stop the plugin or "
      "script from setting {}",
      variable, variable);
}

}  // namespace muster::task_watch
