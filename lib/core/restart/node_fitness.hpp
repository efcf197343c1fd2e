// Lowers the fitness of nodes according to what they report about themselves between two attempts. Pure.
#pragma once

#include "core/report/record.hpp"
#include "core/restart/node_check.hpp"
#include "core/restart/nodes.hpp"
#include "core/slow/named.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace muster::restart {

// Which nodes were asked to check themselves, and what they answered.
struct NodeChecks {
  std::vector<std::string> asked;
  std::vector<NodeCheck> answers;
  std::optional<std::string> health;  // the command
  std::string silence = "no answer";  // why a node has not answered

  friend bool operator==(const NodeChecks&, const NodeChecks&) = default;
};

struct Judgement {
  std::vector<Candidate> candidates;
  std::string remark;  // one line about the health command for the user; usually empty

  friend bool operator==(const Judgement&, const Judgement&) = default;
};

// No node becomes fitter. An unclear result counts as healthy. If the command found no node healthy, all
// count as healthy: the command is then more likely to be at fault than the nodes.
Judgement judge(std::vector<Candidate> candidates, const NodeChecks& checks);

// With slow=...+replace: a node that has held up all others is used only if there are too few others. One
// that has caught up is not blamed, and neither is one for a link to a single other node.
void doubt_slow(std::span<Candidate> candidates, std::span<const slow::Named> slow);

// Whether there is some rank of which it is unknown whether it has ended.
bool leaves_doubt(const report::Record& record);

}  // namespace muster::restart
