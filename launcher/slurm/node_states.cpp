#include "launcher/slurm/node_states.hpp"

#include "core/contains.hpp"
#include "core/slurm/hostlist.hpp"
#include "core/slurm/scontrol_output.hpp"
#include "core/text/list.hpp"
#include "core/text/number.hpp"
#include "core/text/quote.hpp"
#include "launcher/os/command_output.hpp"

#include <algorithm>
#include <array>

namespace muster::slurm {
namespace {

using Words = std::vector<std::string_view>;

// One of "DOWN+DRAIN+NOT_RESPONDING". A mark at its end, such as '*', is of Slurm's shorter form.
void add_state(NodeState& node, std::string_view word) {
  constexpr std::array<std::string_view, 6> down{"DOWN",         "FAIL",          "FAILING",
                                                 "POWERED_DOWN", "POWERING_DOWN", "FUTURE"};
  // An invalid registration keeps new work away from a node until an administrator has seen to it.
  constexpr std::array<std::string_view, 5> drained{"DRAIN", "DRAINED", "DRAINING", "INVALID_REG",
                                                    "POWER_DOWN"};
  constexpr std::string_view marks = "*~#!%$@^+-";
  const auto name = word.substr(0, word.find_last_not_of(marks) + 1);
  const auto mark = word.substr(name.size());
  node.down |= contains(down, name);
  node.drained |= contains(drained, name) || name.starts_with("REBOOT") ||
                  mark.find_first_of("@^") != std::string_view::npos;
  node.not_responding |= name == "NOT_RESPONDING" || mark.find('*') != std::string_view::npos;
}

// " [root@2026-01-01T00:00:00]", which scontrol adds: who gave the reason, and when.
std::size_t end_of_reason(std::string_view text) {
  for (auto at = text.find(" ["); at != std::string_view::npos; at = text.find(" [", at + 1)) {
    const auto author = text.substr(at + 2, text.find_first_of(" ]", at + 2) - at - 2);
    if (author.find('@') != std::string_view::npos) return at;
  }
  return text.size();
}

// The last field of a node without a comment; any text.
std::string reason_of(std::string_view line) {
  constexpr std::string_view name = " Reason=";
  const auto begin = line.find(name);
  if (begin == std::string_view::npos) return {};
  const auto text = line.substr(begin + name.size());
  return text::printable(text.substr(0, end_of_reason(text)));
}

NodeState node_state(std::string_view line) {
  NodeState node;
  node.name = field(line, "NodeName");
  for (const auto word : text::split(field(line, "State"), '+')) add_state(node, word);
  node.address = field(line, "NodeAddr");
  node.port = text::number<std::uint16_t>(field(line, "Port")).value_or(0);
  node.reason = reason_of(line);
  return node;
}

// Far more than scontrol writes about a node.
std::size_t max_bytes(std::size_t nodes) {
  constexpr std::size_t per_node = 8192;
  return (nodes + 1) * per_node;
}

std::uint16_t ask_slurmd_port(std::chrono::milliseconds timeout) {
  return slurmd_port(os::command_output({"scontrol", "show", "config"}, timeout));
}

}  // namespace

std::vector<NodeState> node_states(std::string_view text) {
  std::vector<NodeState> nodes;
  for (const auto line : text::split(text, '\n')) {
    if (line.starts_with("NodeName=")) nodes.push_back(node_state(line));
  }
  return nodes;
}

std::uint16_t slurmd_port(std::string_view config) {
  constexpr std::uint16_t slurms_default = 6818;
  const auto port = config_number(config, "SlurmdPort");
  return port && *port > 0 && *port <= UINT16_MAX ? static_cast<std::uint16_t>(*port)
                                                  : slurms_default;
}

std::vector<NodeState> ask_node_states(std::span<const std::string> nodes,
                                       std::chrono::milliseconds timeout) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  // Without --all no node of a hidden partition is shown.
  const auto result =
      os::run_command({"scontrol", "--all", "--oneliner", "show", "node", compress_hostlist(nodes)},
                      {.timeout = timeout, .max_bytes = max_bytes(nodes.size())});
  // A line that was cut off at the deadline might lack its state. A node that Slurm does not know any
  // more is an error of scontrol's, but not of the others' lines.
  const auto whole = std::string_view(result.output).substr(0, result.output.rfind('\n') + 1);
  auto states = node_states(whole);
  const auto has_no_port = [](const NodeState& node) { return node.port == 0; };
  if (std::ranges::none_of(states, has_no_port)) return states;
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
      deadline - std::chrono::steady_clock::now());
  const auto port = ask_slurmd_port(left);
  for (auto& node : states) node.port = node.port == 0 ? port : node.port;
  return states;
}

}  // namespace muster::slurm
