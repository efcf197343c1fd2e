#include "core/page/bootstrap.hpp"

#include "core/page/markup.hpp"
#include "core/report/moments.hpp"
#include "core/report/report.hpp"
#include "core/text/list.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace muster::page {
namespace {

using std::chrono::nanoseconds;

constexpr std::size_t max_shown_phases = 24;

using Names = std::map<std::uint32_t, std::string>;  // names of nodes, indexed by rank

// The plan takes precedence over what the rank itself reported.
Names nodes_of(const BootstrapOfRank& ranks, const Names& planned) {
  Names nodes;
  for (const auto& [rank, bootstrap] : ranks) {
    if (bootstrap.phases.empty()) continue;
    const auto found = planned.find(rank);
    nodes.emplace(rank, found == planned.end() ? bootstrap.node : found->second);
  }
  return nodes;
}

// How long after the launch the ranks of each node could start.
std::map<std::string, nanoseconds> starts_of(const report::Report* report) {
  std::map<std::string, nanoseconds> starts;
  if (report == nullptr) return starts;
  for (const auto& node : report->nodes) {
    if (node.agent)
      starts.emplace(node.name, report::between(report->times.launched, node.agent->met));
  }
  return starts;
}

// For each rank. No value if one is unknown, so that all ranks are counted from the same moment.
std::optional<std::map<std::uint32_t, nanoseconds>> shifts_of(const report::Report* report,
                                                              const Names& nodes) {
  const auto starts = starts_of(report);
  std::map<std::uint32_t, nanoseconds> shifts;
  for (const auto& [rank, node] : nodes) {
    const auto found = starts.find(node);
    if (found == starts.end()) return std::nullopt;
    constexpr nanoseconds limit = std::chrono::hours(24 * 366);
    shifts.emplace(rank, std::clamp(found->second, -limit, limit));
  }
  return shifts;
}

std::string transports_of(const BootstrapOfRank& ranks) {
  std::set<std::string> names;
  for (const auto& [rank, bootstrap] : ranks) {
    if (bootstrap.transport == "pmix") names.insert("PMIx");
    if (bootstrap.transport == "tcp") names.insert("TCP to rank 0");
  }
  return text::join(names, " and ");
}

// Matches phases of different ranks by their name and by how often the rank has been in a phase of that
// name.
class Gathering {
 public:
  void add(std::uint32_t rank, const Bootstrap& bootstrap, nanoseconds shift) {
    std::map<std::string_view, std::size_t> times;
    for (const auto& phase : bootstrap.phases) {
      auto& all = phases_[{phase.name, times[phase.name]++}];
      all.name = phase.name;
      all.waits = phase.waits;
      all.ranks.push_back({rank, phase.begin + shift, phase.end + shift, phase.failed});
    }
  }

  std::vector<PhaseOfAll> in_order() && {
    std::vector<Ordered> ordered;
    for (auto& [name, phase] : phases_) {
      const std::pair key(median_begin(phase), phase.last_end());
      ordered.push_back({key, std::move(phase)});
    }
    std::ranges::stable_sort(ordered, {}, &Ordered::key);
    std::vector<PhaseOfAll> all;
    for (auto& [key, phase] : ordered) all.push_back(std::move(phase));
    return all;
  }

 private:
  struct Ordered {
    std::pair<nanoseconds, nanoseconds> key;
    PhaseOfAll phase;
  };

  static nanoseconds median_begin(const PhaseOfAll& phase) {
    std::vector<nanoseconds> begins;
    for (const auto& rank : phase.ranks) begins.push_back(rank.begin);
    const auto middle = begins.begin() + static_cast<std::ptrdiff_t>(begins.size() / 2);
    std::ranges::nth_element(begins, middle);
    return *middle;
  }

  std::map<std::pair<std::string, std::size_t>, PhaseOfAll> phases_;
};

}  // namespace

nanoseconds PhaseOfAll::first_begin() const {
  return std::ranges::min(ranks, {}, &PhaseOfRank::begin).begin;
}

nanoseconds PhaseOfAll::last_end() const {
  return std::ranges::max(ranks, {}, &PhaseOfRank::end).end;
}

std::size_t PhaseOfAll::failures() const {
  return static_cast<std::size_t>(std::ranges::count(ranks, true, &PhaseOfRank::failed));
}

Spread spread_of(const PhaseOfAll& phase) {
  std::vector<nanoseconds> times;
  for (const auto& rank : phase.ranks) times.push_back(rank.took());
  std::ranges::sort(times);
  return {times.front(), times[times.size() / 2], times.back()};
}

const PhaseOfRank& slowest(const PhaseOfAll& phase) {
  return phase.waits ? *std::ranges::max_element(phase.ranks, {}, &PhaseOfRank::begin)
                     : *std::ranges::max_element(phase.ranks, {}, &PhaseOfRank::took);
}

Bootstraps bootstraps_of(const BootstrapOfRank& ranks, const Names& nodes,
                         const report::Report* report) {
  Bootstraps all;
  all.nodes = nodes_of(ranks, nodes);
  all.transports = transports_of(ranks);
  const auto shifts = shifts_of(report, all.nodes);
  all.zero = shifts ? Zero::launch : Zero::agents_had_met;
  Gathering gathering;
  for (const auto& [rank, bootstrap] : ranks) {
    if (bootstrap.phases.empty()) continue;
    gathering.add(rank, bootstrap, shifts ? shifts->at(rank) : nanoseconds(0));
  }
  all.phases = std::move(gathering).in_order();
  all.more = all.phases.size() - std::min(all.phases.size(), max_shown_phases);
  all.phases.resize(all.phases.size() - all.more);
  return all;
}

std::string place_of(const Bootstraps& all, std::uint32_t rank) {
  const auto found = all.nodes.find(rank);
  const bool known = found != all.nodes.end() && !found->second.empty();
  return fmt::format("rank {}{}", rank, known ? " on " + escaped(found->second) : "");
}

}  // namespace muster::page
