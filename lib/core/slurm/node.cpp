#include "core/slurm/node.hpp"

#include "core/contains.hpp"
#include "core/slurm/fields.hpp"
#include "core/text/list.hpp"
#include "core/text/number.hpp"
#include "core/text/quote.hpp"

#include <algorithm>
#include <array>

namespace muster::slurm {
namespace {

// Adds one word of "DOWN+DRAIN+NOT_RESPONDING". In Slurm's short form, states end in marks such as '*'.
void add_state(Node& node, std::string_view word) {
  constexpr std::array<std::string_view, 6> down{"DOWN",         "FAIL",          "FAILING",
                                                 "POWERED_DOWN", "POWERING_DOWN", "FUTURE"};
  // After an invalid registration a node gets no new work until an administrator has intervened.
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

// scontrol adds " [root@2026-01-01T00:00:00]": who entered the reason, and when.
std::size_t end_of_reason(std::string_view text) {
  for (auto at = text.find(" ["); at != std::string_view::npos; at = text.find(" [", at + 1)) {
    const auto author = text.substr(at + 2, text.find_first_of(" ]", at + 2) - at - 2);
    if (author.find('@') != std::string_view::npos) return at;
  }
  return text.size();
}

// Free text; the last field of a node without a comment.
std::string reason_of(std::string_view line) {
  constexpr std::string_view name = " Reason=";
  const auto begin = line.find(name);
  if (begin == std::string_view::npos) return {};
  const auto text = line.substr(begin + name.size());
  return text::printable(text.substr(0, end_of_reason(text)));
}

Node node_of_line(std::string_view line) {
  Node node;
  node.name = field(line, "NodeName");
  for (const auto word : text::split(field(line, "State"), '+')) add_state(node, word);
  node.address = field(line, "NodeAddr");
  node.port = text::number<std::uint16_t>(field(line, "Port")).value_or(0);
  node.reason = reason_of(line);
  node.threads_per_core =
      std::max(text::number<std::uint32_t>(field(line, "ThreadsPerCore")).value_or(1), 1U);
  node.features = field(line, "ActiveFeatures");
  return node;
}

}  // namespace

std::size_t max_node_bytes(std::size_t nodes) {
  constexpr std::size_t per_node = 8192;
  return (nodes + 1) * per_node;
}

bool refuses_nodes(std::string_view output) {
  return output.find("Access/permission denied") != std::string_view::npos;
}

std::vector<Node> nodes_from_names(std::span<const std::string> names) {
  std::vector<Node> nodes;
  for (const auto& name : names) nodes.push_back({.name = name, .reason = {}, .address = name});
  return nodes;
}

std::vector<Node> nodes_from_text(std::string_view text) {
  std::vector<Node> nodes;
  for (const auto line : text::split(whole_lines(text), '\n')) {
    if (line.starts_with("NodeName=")) nodes.push_back(node_of_line(line));
  }
  return nodes;
}

}  // namespace muster::slurm
