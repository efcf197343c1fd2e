#include "launcher/agent/agreement.hpp"

#include "core/contains.hpp"
#include "core/error.hpp"
#include "core/site/config.hpp"
#include "launcher/agent/node/network.hpp"
#include "launcher/agent/node/node_addresses.hpp"
#include "launcher/agent/rendezvous/node_report.hpp"
#include "launcher/agent/rendezvous/rendezvous.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace muster::agent {
namespace {

// Used when there is a supervisor to ask, which offers another way to find the leader.
constexpr std::chrono::seconds resolve_timeout{5};
constexpr std::chrono::seconds short_resolve_timeout{1};

// The address of rank 0's node, as Slurm knows it.
rendezvous::KnownAddress known_leader(const StepContext& context) {
  const auto& layout = context.layout;
  const auto& leader = layout.nodes[layout.node_of_task.front()];
  const auto timeout = context.attempt.channel ? short_resolve_timeout : resolve_timeout;
  try {
    return {os::resolve(layout.first_address.empty() ? leader : layout.first_address, timeout)};
  } catch (const Error& error) {
    return {std::nullopt, fmt::format("{}: {}", context.node_name(), error.what())};
  }
}

// Without Slurm, all ranks are on this machine, so no other machine has to reach them.
bool meets_on_loopback(const StepContext& context) {
  return context.facts.without_slurm && context.request().network.empty();
}

// Never empty.
node::Addresses loopback(const std::vector<os::Interface>& interfaces) {
  node::Addresses found;
  for (const auto& each : interfaces) {
    if (each.address.is_loopback()) found.push_back(each.address);
  }
  std::ranges::stable_partition(found, [](const auto& address) { return address.is_v4(); });
  if (found.empty()) found.push_back(asio::ip::address_v4::loopback());
  return found;
}

// On the leader's node: the addresses where it can be reached. Never empty.
node::NodeAddresses leader_addresses(const StepContext& context,
                                     const std::vector<os::Interface>& interfaces) {
  if (meets_on_loopback(context))
    return {.ranks = loopback(interfaces), .chosen = false, .all = loopback(interfaces)};
  auto addresses =
      node::node_addresses(interfaces, context.request().network, known_leader(context).address);
  if (addresses.all.empty()) addresses.all.push_back(asio::ip::address_v4::loopback());
  if (addresses.ranks.empty()) addresses.ranks = addresses.all;
  return addresses;
}

asio::ip::address known_address_of_leader(const StepContext& context) {
  const auto leader = known_leader(context);
  if (!leader.address) throw Error(leader.why);
  return *leader.address;
}

// The leader uses another port if all candidates were taken.
Origin port_origin(const StepContext& context, rendezvous::Port port) {
  const auto& candidates = context.ports.ports;
  const bool expected = contains(candidates, port);
  return expected ? context.ports.origin : Origin::rendezvous;
}

// Whether muster has chosen rank 0's node since the user exported its address. After a requeue, the job's
// script has run again, but an address that is right is kept in any case.
bool has_chosen_nodes(const StepContext& context) {
  const auto& group = context.attempt.group;
  return context.attempt.number > 0 || (group && group->count > 1);
}

bool must_replace_exported(const StepContext& context, const PreparedNode& node) {
  return replaces_exported(node.exported, node_count(context.layout), has_chosen_nodes(context));
}

// For a node that is alone or cannot reach the others: the values that every node can work out by itself.
rendezvous::Outcome foreseen(const StepContext& context, const PreparedNode& node) {
  const auto address = context.is_leader()
                           ? leader_addresses(context, node.interfaces).ranks.front()
                           : known_address_of_leader(context);
  const auto port =
      node.ports.rendezvous ? node.ports.rendezvous->port() : context.ports.ports.front();
  rendezvous::Outcome outcome;
  outcome.rendezvous = {address.to_string(), port, port_origin(context, port)};
  outcome.exchange = node.ports.exchange_port;
  outcome.replaces_exported = must_replace_exported(context, node);
  outcome.warnings =
      rendezvous::merge_warnings({{context.node_name(), {{}, node.setup->resources.warnings}}});
  return outcome;
}

rendezvous::RendezvousInputs rendezvous_inputs(const StepContext& context,
                                               const PreparedNode& node) {
  return {.key = context.attempt.key,
          .layout = context.layout,
          .node = context.node,
          .deadline = context.deadline(),
          .warnings = node.setup ? node.setup->resources.warnings : std::vector<std::string>(),
          .supervisor = context.supervisor(),
          .exchange = node.ports.exchange_port,
          .replaces_exported = must_replace_exported(context, node),
          .width = context.site.config().rendezvous_width};
}

rendezvous::Outcome lead(const StepContext& context, PreparedNode& node,
                         const std::vector<rendezvous::Port>& meeting) {
  const auto addresses = leader_addresses(context, node.interfaces);
  if (node.ports.rendezvous) {
    return lead_rendezvous(rendezvous_inputs(context, node), *node.ports.rendezvous, addresses,
                           node.failure);
  }
  // If there is no port for the ranks, the other nodes must still learn why.
  auto port = port::hold_any(meeting);
  if (!port) throw Error(node.failure);
  return lead_rendezvous(rendezvous_inputs(context, node), *port, addresses, node.failure);
}

rendezvous::Outcome meet(const StepContext& context, PreparedNode& node) {
  const auto meeting = meeting_ports(context.ports, context.port_sources, context.name);
  auto outcome = context.is_leader() ? lead(context, node, meeting)
                                     : join_rendezvous(rendezvous_inputs(context, node), meeting,
                                                       known_leader(context), node.failure);
  outcome.rendezvous.port_origin = port_origin(context, outcome.rendezvous.port);
  return outcome;
}

void check(const rendezvous::Outcome& outcome) {
  if (outcome.failure.empty()) return;
  if (outcome.reported_elsewhere) throw Silent();
  throw Error(outcome.failure);
}

}  // namespace

Agreement agree(const StepContext& context, PreparedNode node) {
  MeetingTimes times;
  times.came = StepContext::Clock::now();
  auto outcome = context.can_meet_others() ? meet(context, node) : foreseen(context, node);
  times.met = StepContext::Clock::now();
  check(outcome);
  if (!node.setup) throw Error(node.failure);
  auto network = node::node_network(
      node::network_facts(node.interfaces, asio::ip::make_address(outcome.rendezvous.address),
                          context.is_leader()),
      context.request(), node.setup->chosen);
  return {.setup = std::move(*node.setup),
          .ports = std::move(node.ports),
          .rendezvous = std::move(outcome.rendezvous),
          .exported = std::move(node.exported),
          .replaces_exported = outcome.replaces_exported,
          .network = std::move(network),
          .exchange = outcome.exchange,
          .warnings = std::move(outcome.warnings),
          .times = times};
}

}  // namespace muster::agent
