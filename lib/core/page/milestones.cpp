#include "core/page/milestones.hpp"

#include "core/page/figures.hpp"
#include "core/page/markup.hpp"
#include "core/page/table.hpp"
#include "core/report/moments.hpp"
#include "core/report/report.hpp"
#include "core/report/screen.hpp"
#include "core/text/amounts.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace muster::page {
namespace {

using report::NodeRecord;
using std::chrono::nanoseconds;

// Bounds what a damaged report may contain, so that differences do not overflow.
constexpr nanoseconds limit = std::chrono::hours(24 * 366 * 100);

// A node or rank that passes a milestone.
struct Passing {
  nanoseconds after{0};  // the launch
  std::string who;
};

// No value unless all of them have passed it.
using Passings = std::optional<std::vector<Passing>>;

template <class MomentOf>
Passings of_nodes(const report::Report& report, MomentOf moment_of) {
  std::vector<Passing> passings;
  for (const auto& node : report.nodes) {
    const std::optional<report::Moment> moment = moment_of(node);
    if (!moment) return std::nullopt;
    const auto after = report::between(report.times.launched, *moment);
    passings.push_back({std::clamp(after, -limit, limit), escaped(node.name)});
  }
  return passings;
}

Passings agents(const report::Report& report, report::Moment report::AgentTimes::*moment) {
  return of_nodes(report, [&](const NodeRecord& node) {
    return node.agent ? std::optional((*node.agent).*moment) : std::nullopt;
  });
}

// When each rank's first phase began, or its last one ended.
Passings of_ranks(const Bootstraps& bootstraps, bool ends) {
  if (bootstraps.zero != Zero::launch) return std::nullopt;
  std::map<std::uint32_t, nanoseconds> times;
  for (const auto& phase : bootstraps.phases) {
    for (const auto& rank : phase.ranks) {
      const auto [time, is_new] = times.try_emplace(rank.rank, ends ? rank.end : rank.begin);
      if (!is_new)
        time->second = ends ? std::max(time->second, rank.end) : std::min(time->second, rank.begin);
    }
  }
  std::vector<Passing> passings;
  for (const auto& [rank, time] : times) passings.push_back({time, place_of(bootstraps, rank)});
  return passings;
}

class MilestoneTable {
 public:
  void add(std::string_view name, std::string_view kind, std::string_view spent,
           Passings passings) {
    if (!passings || passings->empty()) return;
    std::ranges::stable_sort(*passings, {}, &Passing::after);
    // Not for `muster run`, which is its own agent.
    if (passings->back().after < nanoseconds(0)) return;
    milestones_.push_back({.name = name,
                           .kind = kind,
                           .spent = spent,
                           .first = passings->front().after,
                           .median = (*passings)[passings->size() / 2].after,
                           .last = passings->back().after,
                           .last_one = passings->back().who});
  }
  std::vector<Milestone> milestones() && { return std::move(milestones_); }

 private:
  std::vector<Milestone> milestones_;
};

}  // namespace

std::vector<Milestone> milestones_of(const report::Report& report, const Bootstraps& bootstraps) {
  const bool alone = report.nodes.size() == 1;
  MilestoneTable table;
  table.add("Agent up", "slurm", "Slurm", agents(report, &report::AgentTimes::begun));
  table.add("Node prepared", "prepare", "preparation", agents(report, &report::AgentTimes::came));
  if (!alone)
    table.add("Agents had met", "meet", "rendezvous", agents(report, &report::AgentTimes::met));
  table.add("First rank up", "start", "start of the ranks",
            of_nodes(report, [](const NodeRecord& node) { return node.started; }));
  table.add("Rank reached libmuster", "program", "program", of_ranks(bootstraps, false));
  table.add("Bootstrap done", "boot", "bootstrap", of_ranks(bootstraps, true));
  return std::move(table).milestones();
}

std::string course_of(const std::vector<Milestone>& milestones) {
  if (milestones.size() < 2) return {};
  const auto whole = std::ranges::max(milestones, {}, &Milestone::last).last;
  Table table("After the launch",
              {{"What"}, {"First", true}, {"Half", true}, {"Last", true}, {"The last one"}});
  std::vector<Part> parts;
  std::string legend;
  std::string label;
  nanoseconds at{0};
  for (const auto& each : milestones) {
    const auto until = std::max(at, each.last);  // the clocks of nodes may differ slightly
    const auto words = fmt::format("{} {}", each.spent, text::duration(until - at));
    if (until > at)
      parts.push_back({share_of(at, whole), share_of(until, whole), each.kind, words});
    legend += fmt::format("<li><i class='{}'></i>{}</li>", each.kind, words);
    label += (label.empty() ? "" : ", ") + words;
    at = until;
    table.add({std::string(each.name), text::duration(each.first), text::duration(each.median),
               text::duration(each.last), each.last_one});
  }
  return fmt::format(
      "<ul class='legend'>{}</ul>\n{}<div class='ends' aria-hidden='true'><span>launch</span>"
      "<span>{}</span></div>\n{}",
      legend, bar(parts, label), text::duration(whole), table.html());
}

std::string rendezvous_of(const report::Report& report) {
  if (report.nodes.size() < 2) return {};
  const auto came = agents(report, &report::AgentTimes::came);
  const auto met = agents(report, &report::AgentTimes::met);
  if (!came || !met) return {};
  const auto first = std::ranges::min(*came, {}, &Passing::after);
  const auto last = std::ranges::max(*came, {}, &Passing::after);
  const auto end = std::ranges::max(*met, {}, &Passing::after);
  return fmt::format(
      "<p>The agents' rendezvous took {}: {} arrived first, {} last ({} later), and all had met {} "
      "after that.</p>\n",
      short_duration(end.after - first.after), first.who, last.who,
      short_duration(last.after - first.after), short_duration(end.after - last.after));
}

}  // namespace muster::page
