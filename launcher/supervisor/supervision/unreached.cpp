#include "launcher/supervisor/supervision/unreached.hpp"

#include "core/report/moments.hpp"
#include "core/text/amounts.hpp"
#include "core/text/quote.hpp"

#include <chrono>

#include <fmt/format.h>

namespace muster::supervision {
namespace {

// An agent tries for 3 s at first. If a node refuses the step, no agent connects, and the node reports that
// itself; on a busy machine that also takes some seconds. A shorter step may have been refused.
constexpr std::chrono::seconds first_word_timeout{8};

std::string names_text(const std::vector<std::string>& names) {
  const auto more = names.size() - 1;
  const auto first = text::printable(names.front());
  if (more == 0) return first;
  return fmt::format("{} and {}", first, text::count(more, "other node"));
}

}  // namespace

void name_silent_nodes(report::Record& record, const std::vector<std::string>& nodes) {
  if (!record.created || report::between(*record.created, record.over) < first_word_timeout) return;
  if (record.nodes.empty()) record.nodes.resize(nodes.size());
  if (record.nodes.size() != nodes.size()) return;
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    auto& known = record.nodes[node];
    if (known.state == report::NodeState::silent) known.name = nodes[node];
  }
}

std::string unreached_text(const report::Record& record, const std::string& host,
                           const channel::Address& channel) {
  std::vector<std::string> silent;
  for (const auto& node : record.nodes) {
    if (node.state == report::NodeState::silent && !node.name.empty()) silent.push_back(node.name);
  }
  if (silent.empty()) return {};
  if (!channel)
    return fmt::format(
        "{} found no free port for the nodes, so the report cannot say which rank fails; set "
        "control_ports in the site's file to ports that are free",
        text::printable(host));
  return fmt::format(
      "{} never reached port {} of {}, so the report cannot say which rank fails there; open "
      "the port to the nodes, or set control_ports in the site's file to ports that are open",
      names_text(silent), channel.port, text::printable(host));
}

}  // namespace muster::supervision
