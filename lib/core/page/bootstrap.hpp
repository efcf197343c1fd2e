// How the ranks of the newest attempt came together in libmuster, phase by phase over all of them.
#pragma once

#include "core/page/read_times.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace muster::report {
struct Report;
}

namespace muster::page {

// A phase as one rank had it, counted from Phases::zero.
struct PhaseOfRank {
  std::uint32_t rank = 0;
  std::chrono::nanoseconds begin{0};
  std::chrono::nanoseconds end{0};
  bool failed = false;

  [[nodiscard]] std::chrono::nanoseconds took() const { return end - begin; }
};

struct PhaseOfAll {
  std::string name;
  bool waits = false;              // for all ranks
  std::vector<PhaseOfRank> ranks;  // in their order; never empty

  [[nodiscard]] std::chrono::nanoseconds first_begin() const;
  [[nodiscard]] std::chrono::nanoseconds last_end() const;
  [[nodiscard]] std::size_t failures() const;
};

struct Spread {
  std::chrono::nanoseconds least{0};
  std::chrono::nanoseconds median{0};
  std::chrono::nanoseconds most{0};
};

Spread spread_of(const PhaseOfAll& phase);  // of what it took

// The rank for which the others had to wait: the last to come to a phase that waits for all, or else the one
// that took longest.
const PhaseOfRank& slowest(const PhaseOfAll& phase);

enum class Zero : std::uint8_t { launch, agents_had_met };

struct Bootstraps {
  Zero zero = Zero::agents_had_met;  // the launch as far as the report has it for each rank's node
  std::vector<PhaseOfAll> phases;    // in the order of their beginning
  std::size_t more = 0;              // phases that are not among them
  std::map<std::uint32_t, std::string> nodes;  // of the ranks that have some; empty where unknown
  std::string transports;                      // "PMIx"; of several kinds all
};

using BootstrapOfRank = std::map<std::uint32_t, Bootstrap>;

// `nodes`: as the plan has them; of a rank that is not there, as itself says. `report`: none of a run that
// goes on.
Bootstraps bootstraps_of(const BootstrapOfRank& ranks,
                         const std::map<std::uint32_t, std::string>& nodes,
                         const report::Report* report);

// "rank 3 on node2", ready for the page.
std::string place_of(const Bootstraps& all, std::uint32_t rank);

}  // namespace muster::page
