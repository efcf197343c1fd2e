#include "core/restart/lost_attempt.hpp"

#include "core/contains.hpp"

#include <csignal>

namespace muster::restart {

report::Record lost_attempt(const Handover& inherited, std::uint32_t number,
                            const std::vector<std::string>& job_nodes) {
  const report::Moment last_word{.time = -inherited.silence};
  report::Record record;
  record.attempt = number;
  record.launched = last_word;
  record.srun_wait_status = SIGKILL;
  const auto add = [&](const std::string& name, report::NodeState state) {
    report::NodeRecord node;
    node.name = name;
    node.state = state;
    node.started = last_word;
    if (contains(inherited.nodes, name)) node.tasks = inherited.tasks_per_node;
    if (state == report::NodeState::lost) node.last_word = last_word;
    record.ranks += node.tasks;
    record.nodes.push_back(node);
  };
  const auto& names = inherited.nodes.empty() ? job_nodes : inherited.nodes;
  for (const auto& name : names) {
    add(name, name == inherited.host ? report::NodeState::lost : report::NodeState::done);
  }
  if (!contains(names, inherited.host)) add(inherited.host, report::NodeState::lost);
  return record;
}

}  // namespace muster::restart
