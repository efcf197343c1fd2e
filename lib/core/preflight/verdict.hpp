// The verdicts of a whole preflight about the nodes. Pure.
#pragma once

#include "core/preflight/judge.hpp"
#include "core/preflight/local.hpp"
#include "core/preflight/nccl.hpp"
#include "core/restart/nodes.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace muster::preflight {

// What the nodes reported; each vector is indexed by node.
struct Observation {
  std::vector<std::string> nodes = {};
  std::vector<bool> answered = {};
  std::vector<std::optional<Local>> locals = {};  // no value if it did not arrive in time
  // How much work its CPU did per microsecond, for each test.
  std::vector<std::vector<double>> work = {};
  std::vector<std::optional<Counts>> before = {};  // from the previous preflight
  std::vector<Link> links = {};
  std::uint32_t rounds = 0;
  NcclSeen nccl = {};
};

enum class Kind : std::uint8_t { well, warning, no_answer, slow, failing };

std::string_view to_string(Kind kind);

struct Verdict {
  Kind kind = Kind::well;
  std::string what = {};  // one line
};

// Indexed by node.
std::vector<Verdict> verdicts(const Observation& seen);

// If a job has only two nodes and their test failed, either may be to blame: returns a line that says so.
// Otherwise empty.
std::string undecided(const Observation& seen);

// Never makes a node fitter, and never makes it unfit: a network that loses many packets may look like one
// that is cut, and slowness is no reason to end a job. If the node is dead, the launch will show it.
restart::Candidate lowered(restart::Candidate candidate, const Verdict& verdict);

}  // namespace muster::preflight
