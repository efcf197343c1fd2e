// What a whole preflight makes of the nodes. Pure.
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

// What has come of the nodes, each vector by node index.
struct Observation {
  std::vector<std::string> nodes = {};
  std::vector<bool> answered = {};
  std::vector<std::optional<Local>> locals = {};  // nothing where it has not come in time
  std::vector<std::vector<double>> work = {};     // what its CPU did in a microsecond, test by test
  std::vector<std::optional<Counts>> before = {};  // at the last preflight
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

// By node index.
std::vector<Verdict> verdicts(const Observation& seen);

// Of a pair of nodes alone whose test failed, nobody can say which end it is: a line, or nothing.
std::string undecided(const Observation& seen);

// Nobody becomes fitter, and nobody unfit: a network that loses many packets may look like one that is cut,
// and slowness ends no job. Where the node is dead, the launch says so.
restart::Candidate lowered(restart::Candidate candidate, const Verdict& verdict);

}  // namespace muster::preflight
