#include "launcher/agent/port/task_ports.hpp"

#include "core/error.hpp"
#include "core/layout/layout.hpp"
#include "core/layout/numbering.hpp"
#include "core/profile/profile.hpp"
#include "core/record/record.hpp"
#include "core/rendezvous/endpoint.hpp"
#include "core/text/amounts.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace muster::port {
namespace {

struct NodePorts {
  std::string address = {};
  std::vector<rendezvous::Port> ports = {};
};
template <class Io>
void fields(Io& io, NodePorts& node) {
  io(node.address, record::Line{64})(node.ports, record::Max{65536});
}

[[noreturn]] void fail() {
  throw Error(
      "the list of the nodes' ports arrived truncated; "
      "is the same muster version installed on every node?");
}

}  // namespace

bool wants_endpoints(const profile::Profile& profile) {
  return std::ranges::any_of(profile.environment, [](const profile::ProfileVariable& variable) {
    return variable.value.uses(profile::Placeholder::endpoints) ||
           variable.value.uses(profile::Placeholder::task_port);
  });
}

std::vector<HeldPort> hold_task_ports(const std::vector<rendezvous::Port>& candidates,
                                      std::size_t tasks, const std::string& node) {
  std::vector<HeldPort> held;
  for (const auto port : candidates) {
    if (held.size() == tasks) break;
    if (auto one = HeldPort::hold(port)) held.push_back(std::move(*one));
  }
  if (held.size() == tasks) return held;
  throw Error(
      fmt::format("the tasks on {} need {}, but muster found {} ({} tried); widen "
                  "port_range or MpiParams=ports=",
                  node, text::count(tasks, "free port"),
                  held.empty() ? "none" : fmt::format("only {}", held.size()), candidates.size()));
}

std::string endpoints_text(const std::string& address, const std::vector<HeldPort>& ports) {
  NodePorts node{.address = address};
  for (const auto& port : ports) node.ports.push_back(port.port());
  return record::write(node);
}

std::vector<std::string> endpoints_by_rank(std::string_view lines, const layout::Layout& layout,
                                           option::Ranks ranks) {
  const auto step = number_ranks(layout, ranks);
  std::vector<std::vector<std::string>> by_node(layout.nodes.size());
  for (layout::NodeIndex node = 0; node < layout.nodes.size(); ++node) {
    if (step.tasks_of_node[node] == 0) continue;
    const auto line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(line.size() + 1, lines.size()));
    const auto sent = record::read<NodePorts>(line);
    if (!sent || sent->ports.size() != step.tasks_of_node[node]) fail();
    for (const auto port : sent->ports)
      by_node[node].push_back(rendezvous::endpoint_text(sent->address, port));
  }
  if (!lines.empty()) fail();
  std::vector<std::string> endpoints(layout.node_of_task.size());
  std::vector<std::size_t> next(layout.nodes.size());
  for (layout::ProcId task = 0; task < layout.node_of_task.size(); ++task) {
    const auto node = layout.node_of_task[task];
    endpoints[step.rank(task)] = by_node[node][next[node]++];
  }
  return endpoints;
}

}  // namespace muster::port
