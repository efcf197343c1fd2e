// How the ranks of the newest attempt started up together in libmuster, phase by phase across all ranks.
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

// A phase of one rank, counted from Phases::zero.
struct PhaseOfRank {
  std::uint32_t rank = 0;
  std::chrono::nanoseconds begin{0};
  std::chrono::nanoseconds end{0};
  bool failed = false;

  [[nodiscard]] std::chrono::nanoseconds took() const { return end - begin; }
};

struct PhaseOfAll {
  std::string name;
  bool waits = false;              // whether it waits for all ranks
  std::vector<PhaseOfRank> ranks;  // in order of rank; never empty

  [[nodiscard]] std::chrono::nanoseconds first_begin() const;
  [[nodiscard]] std::chrono::nanoseconds last_end() const;
  [[nodiscard]] std::size_t failures() const;
};

struct Spread {
  std::chrono::nanoseconds least{0};
  std::chrono::nanoseconds median{0};
  std::chrono::nanoseconds most{0};
};

Spread spread_of(const PhaseOfAll& phase);  // how long it took

// The rank that kept the other ranks waiting: the last to enter a phase that waits for all ranks, otherwise
// the one that took longest.
const PhaseOfRank& slowest(const PhaseOfAll& phase);

enum class Zero : std::uint8_t { launch, agents_had_met };

struct Bootstraps {
  // The launch, if the report gives its time for every rank's node.
  Zero zero = Zero::agents_had_met;
  std::vector<PhaseOfAll> phases;              // in the order in which they began
  std::size_t more = 0;                        // how many more phases were left out
  std::map<std::uint32_t, std::string> nodes;  // for the ranks that have phases; empty if unknown
  std::string transports;                      // "PMIx"; all of them if there are several
};

using BootstrapOfRank = std::map<std::uint32_t, Bootstrap>;

// `nodes`: from the plan; for a rank that is not in it, the rank's own record is used. `report`: nullptr if
// the run is still in progress.
Bootstraps bootstraps_of(const BootstrapOfRank& ranks,
                         const std::map<std::uint32_t, std::string>& nodes,
                         const report::Report* report);

// "rank 3 on node2", escaped for the page.
std::string place_of(const Bootstraps& all, std::uint32_t rank);

}  // namespace muster::page
