// What the leader knows about all members, and the lines for the user that follow from it. No sockets.
#pragma once

#include "core/layout/ids.hpp"
#include "launcher/agent/rendezvous/node_report.hpp"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace muster::layout {
struct Layout;
}

namespace muster::rendezvous {

class Verdict {
 public:
  // At first all nodes with tasks except `leader` are missing.
  Verdict(const layout::Layout& layout, layout::NodeIndex leader, NodeReport own);

  void arrived(layout::NodeIndex node, NodeReport report);
  void lost(layout::NodeIndex node);
  // What a member, or a relay with all its members, can reach. After the first call, only these answers
  // count.
  void checked(std::vector<std::size_t> addresses, std::vector<std::string> unreached);
  void fail(std::string why) { failure_ = std::move(why); }

  [[nodiscard]] std::size_t missing() const { return missing_.size(); }
  [[nodiscard]] bool is_missing(layout::NodeIndex node) const { return missing_.contains(node); }

  // The best of these addresses that every member can reach.
  [[nodiscard]] std::optional<std::size_t> common(std::size_t addresses) const;

  // Why the step cannot continue; empty if it can. `port`: the leader's, for the message.
  [[nodiscard]] std::string failure(unsigned port) const;

  // Why there is no common address.
  [[nodiscard]] std::string no_common_address() const;
  [[nodiscard]] std::vector<std::string> warnings() const;

 private:
  [[nodiscard]] std::vector<NamedReport> reports() const;

  const layout::Layout& layout_;
  layout::NodeIndex leader_;
  NodeReport own_;
  std::string failure_;  // why a node cannot join, or why the whole step cannot continue
  std::set<layout::NodeIndex> missing_;
  NodeReports reports_;
  std::vector<std::vector<std::size_t>> checked_;
  std::vector<std::string> unreached_;  // a line for each address that a node could not reach
};

}  // namespace muster::rendezvous
