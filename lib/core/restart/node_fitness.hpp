// What the nodes' own words between two attempts make of their fitness. Pure.
#pragma once

#include "core/report/record.hpp"
#include "core/restart/node_check.hpp"
#include "core/restart/nodes.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace muster::restart {

// What was asked of the nodes, and what came of it.
struct NodeChecks {
  std::vector<std::string> asked;
  std::vector<NodeCheck> answers;
  std::optional<std::string> health;  // the command
  std::string silence = "no answer";  // why nothing has come from a node

  friend bool operator==(const NodeChecks&, const NodeChecks&) = default;
};

struct Judgement {
  std::vector<Candidate> candidates;
  std::string remark;  // one line about the health command for the user; mostly empty

  friend bool operator==(const Judgement&, const Judgement&) = default;
};

// Nobody becomes fitter. A result that is not clear counts as healthy; so do all nodes if the command
// finds none healthy: then it says more of itself than of them.
Judgement judge(std::vector<Candidate> candidates, const NodeChecks& checks);

// Of some rank nobody can tell whether it has ended.
bool leaves_doubt(const report::Record& record);

}  // namespace muster::restart
