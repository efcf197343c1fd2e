// What a node finds out about itself: those checks of muster doctor that justify giving up a node, and the
// preflight's own. Pure.
#pragma once

#include "core/doctor/facts.hpp"
#include "core/record/limits.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::preflight {

enum class Severity : std::uint8_t { warning, slow, failing };

// Made printable, on one line.
std::string finding_text(std::string_view what);
inline constexpr record::Max finding_bytes{300};

struct Finding {
  Severity severity = Severity::warning;
  std::string what = {};  // one line

  friend bool operator==(const Finding&, const Finding&) = default;
};
template <class Io>
void fields(Io& io, Finding& finding) {
  io(finding.severity, record::Range{Severity::warning, Severity::failing});
  io.through(finding.what, finding_text, finding_text, finding_bytes);
}

// Counts that are equal on all nodes of a job, such as "gpu.count", and counters that only grow, such as
// "net.carrier_changes".
using Counts = std::map<std::string, std::uint64_t, std::less<>>;

inline constexpr std::size_t max_findings = 16;
bool are_known(const Counts& counts);

struct Local {
  std::vector<Finding> findings = {};
  Counts counts = {};

  friend bool operator==(const Local&, const Local&) = default;
};
template <class Io>
void fields(Io& io, Local& local) {
  io(local.findings, record::First{max_findings});
  io(local.counts, record::Max{16}, record::Max{64}, record::Any{})
      .require(are_known(local.counts));
}

// From the facts that doctor gathers about GPUs and fabrics, and from these:
//   disk.PATH        "ok", "full", "read-only", "no answer within 2 s", or why not
//   gpu.recovery     GPUs that the driver wants reset, or their node rebooted
//   gpu.memory_held  "yes": memory of a GPU is in use by no process
Local judge_node(const doctor::Facts& facts);

std::string to_text(const Local& local);

// No value for a text that to_text() cannot have written.
std::optional<Local> local_from_text(std::string_view text);

// Compares nodes, given by index; some may be missing. Finds what each node has fewer of than most others,
// and which counters have grown since the previous look, if there was one.
std::vector<std::vector<Finding>> compare(const std::vector<std::optional<Local>>& nodes,
                                          const std::vector<std::optional<Counts>>& before);

}  // namespace muster::preflight
