#include "launcher/agent/rendezvous/verdict.hpp"

#include "core/layout/layout.hpp"
#include "launcher/agent/rendezvous/addresses.hpp"

#include <utility>

#include <fmt/format.h>

namespace muster::rendezvous {

Verdict::Verdict(const layout::Layout& layout, layout::NodeIndex leader, NodeReport own)
    : layout_(layout), leader_(leader), own_(std::move(own)) {
  missing_.insert(layout.node_of_task.begin(), layout.node_of_task.end());
  missing_.erase(leader);
}

void Verdict::arrived(layout::NodeIndex node, NodeReport report) {
  missing_.erase(node);
  reports_.insert_or_assign(node, std::move(report));
}

void Verdict::lost(layout::NodeIndex node) {
  missing_.insert(node);
  reports_.erase(node);
}

void Verdict::checked(std::vector<std::size_t> addresses, std::vector<std::string> unreached) {
  checked_.push_back(std::move(addresses));
  if (unreached_.empty()) unreached_ = std::move(unreached);
}

std::optional<std::size_t> Verdict::common(std::size_t addresses) const {
  if (!checked_.empty()) return common_address(addresses, checked_);
  std::vector<std::vector<std::size_t>> reached;
  for (const auto& [node, report] : reports_) reached.push_back(report.reached);
  return common_address(addresses, reached);
}

std::string Verdict::failure(unsigned port) const {
  if (!own_.failure.empty()) return own_.failure;
  if (!failure_.empty()) return failure_;
  if (missing_.empty()) return merge_failures(reports());
  std::vector<std::string> nodes;
  for (const auto node : missing_) nodes.push_back(layout_.nodes[node]);
  return fmt::format(
      "no word from {} within the time that agents wait for each other (gather_timeout); does "
      "slurmd there have muster.so in its plugstack.conf, and is port {} of {} open to "
      "connections from there? If a long prolog delays the tasks, raise gather_timeout in "
      "muster.yaml",
      list_nodes(nodes), port, layout_.nodes[leader_]);
}

std::string Verdict::no_common_address() const {
  if (!unreached_.empty()) {
    return unreached_.front() + " (the other nodes cannot reach a common address either)";
  }
  return fmt::format(
      "no address of {} can be reached from all nodes of the step; choose a network with network=",
      layout_.nodes[leader_]);
}

std::vector<std::string> Verdict::warnings() const {
  return merge_warnings(reports());
}

std::vector<NamedReport> Verdict::reports() const {
  std::vector<NamedReport> all{{layout_.nodes[leader_], own_}};
  for (const auto& [node, report] : reports_) all.push_back({layout_.nodes[node], report});
  return all;
}

}  // namespace muster::rendezvous
