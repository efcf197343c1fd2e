// Shows the start of the newest attempt: when it reached each stage, how long the nodes took from the launch
// to their first rank, and how the ranks rendezvoused.
#include "core/page/bootstrap_picture.hpp"
#include "core/page/figures.hpp"
#include "core/page/markup.hpp"
#include "core/page/milestones.hpp"
#include "core/page/sections.hpp"
#include "core/page/table.hpp"
#include "core/report/moments.hpp"
#include "core/text/amounts.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace muster::page {
namespace {

constexpr std::size_t max_slowest = 5;
constexpr std::size_t max_dots = 4096;

struct Start {
  std::string node;
  std::chrono::nanoseconds after;
};

std::vector<Start> starts_of(const report::Report& report) {
  std::vector<Start> starts;
  for (const auto& node : report.nodes) {
    if (node.started)
      starts.push_back({node.name, report::between(report.times.launched, *node.started)});
  }
  std::ranges::stable_sort(starts, {}, &Start::after);
  return starts;
}

double place_in(std::chrono::nanoseconds part, std::chrono::nanoseconds all) {
  return std::clamp(share_of(part, all), 0.0, 1.0);
}

// A stroke for each node. A hundredth of the width is left free at both ends, so that no stroke is cut off.
std::string strokes(const std::vector<Start>& starts) {
  const auto all = starts.back().after;
  auto svg = fmt::format(
      "<svg class='bar strokes' role='img' aria-label='First ranks of {} nodes: the first after {}, "
      "the last after {}' height='28'><rect class='track' width='100%' height='28'/>",
      starts.size(), text::duration(starts.front().after), text::duration(all));
  for (std::size_t i = 0; i < std::min(starts.size(), max_dots); ++i) {
    svg += fmt::format("<rect x='{:.2f}%' y='3' width='3' height='22'><title>{}: {}</title></rect>",
                       place_in(starts[i].after, all) * 98.5 + 0.5, escaped(starts[i].node),
                       text::duration(starts[i].after));
  }
  return svg + "</svg>\n";
}

std::string ends_of_axis(const std::string& last) {
  return fmt::format(
      "<div class='ends' aria-hidden='true'><span>launch</span><span>{}</span></div>\n", last);
}

// How long each node took until its first rank started.
std::string first_ranks_of(const report::Report& report) {
  const auto starts = starts_of(report);
  if (starts.empty()) return {};
  if (starts.size() == 1) {
    return fmt::format("<p>The first rank was up {} after the launch.</p>\n",
                       text::duration(starts.front().after));
  }
  const auto median = starts[starts.size() / 2].after;
  auto html = fmt::format(
      "<p>The first rank was up {} after the launch, half of the nodes after {}, all after {}.</p>\n",
      text::duration(starts.front().after), text::duration(median),
      text::duration(starts.back().after));
  Table table("The nodes whose first rank started last", {{"Node"}, {"After the launch", true}});
  for (std::size_t i = 0; i < std::min(starts.size(), max_slowest); ++i) {
    const auto& [node, after] = starts[starts.size() - 1 - i];
    table.add({escaped(node), text::duration(after)});
  }
  return html + strokes(starts) + ends_of_axis(text::duration(starts.back().after)) + table.html();
}

// The node of each rank.
std::map<std::uint32_t, std::string> nodes_of(const AttemptFolder& folder) {
  std::map<std::uint32_t, std::string> nodes;
  if (!folder.plan) return nodes;
  for (const auto& node : folder.plan->nodes) {
    for (const auto& task : node.tasks) nodes.emplace(task.rank, node.node);
  }
  return nodes;
}

}  // namespace

std::string start_of(const Run& run) {
  const auto& folder = run.folders.back();
  const auto* const report = folder.report ? &folder.report->report : nullptr;
  const auto bootstraps = bootstraps_of(folder.bootstraps, nodes_of(folder), report);
  std::string html;
  if (report != nullptr) {
    html += course_of(milestones_of(*report, bootstraps));
    html += rendezvous_of(*report) + first_ranks_of(*report);
  }
  return html + picture_of(bootstraps);
}

}  // namespace muster::page
