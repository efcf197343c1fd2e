#include "core/picture/frame.hpp"

#include "core/error.hpp"
#include "core/picture/legend.hpp"
#include "core/picture/palette.hpp"
#include "core/text/amounts.hpp"
#include "core/text/list.hpp"
#include "core/text/quote.hpp"

#include <algorithm>
#include <charconv>
#include <vector>

#include <fmt/format.h>

namespace muster::picture {
namespace {

constexpr double margin = 16;
constexpr double title_size = 16;
constexpr double subtitle_size = 11;

// The parts of lstopo's document: its size and its content.
struct Inner {
  double width = 0;
  double height = 0;
  std::string_view body;
};

[[noreturn]] void not_svg() {
  throw Error("lstopo's output is not SVG; is the hwloc installation damaged?");
}

double length(std::string_view tag, std::string_view name) {
  constexpr double most = 100000;
  const auto at = tag.find(name);
  if (at == tag.npos) not_svg();
  const auto number = tag.substr(at + name.size());
  double value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (error != std::errc{} || !(value > 0) || value > most) not_svg();
  return value;
}

Inner taken_apart(std::string_view svg) {
  const auto begin = svg.find("<svg ");
  const auto tag_end = svg.find('>', std::min(begin, svg.size()));
  const auto end = svg.rfind("</svg>");
  if (begin == svg.npos || tag_end == svg.npos || end == svg.npos || end < tag_end) not_svg();
  const auto tag = svg.substr(begin, tag_end - begin);
  return {length(tag, " width='"), length(tag, " height='"),
          svg.substr(tag_end + 1, end - tag_end - 1)};
}

// "ranks 0-7 of 32" if the ranks are consecutive.
std::string ranks_text(const plan::StepPlan& plan, const plan::NodePlan& node) {
  std::size_t all = 0;
  for (const auto& each : plan.nodes) all += each.tasks.size();
  std::vector<std::uint32_t> ranks;
  for (const auto& task : node.tasks) ranks.push_back(task.rank);
  std::ranges::sort(ranks);
  const auto of = all == ranks.size() ? "" : fmt::format(" of {}", all);
  const bool row = ranks.back() - ranks.front() + 1 == ranks.size();
  if (!row) return fmt::format("{} ranks{}", ranks.size(), of);
  return fmt::format("{} {}{}", text::plural(ranks.size(), "rank"),
                     text::range_text(ranks.front(), ranks.back()), of);
}

bool leaves_cpus_to_slurm(const plan::NodePlan& node) {
  return std::ranges::all_of(
      node.tasks, [](const plan::TaskPlan& task) { return task.resources.cpus.empty(); });
}

std::string explanation(const plan::StepPlan& plan, const plan::NodePlan& node) {
  const auto nodes = plan.nodes.size();
  return fmt::format(
      "Color and rN show what rank N gets. Gray: several ranks share it. White: no rank "
      "gets it{}.{}",
      leaves_cpus_to_slurm(node) ? "; Slurm binds CPUs and memory" : "",
      nodes > 1 ? fmt::format(" One of {} nodes; --node=NAME draws another.", nodes) : "");
}

}  // namespace

std::string framed(std::string_view drawing, const plan::StepPlan& plan,
                   const plan::NodePlan& node) {
  const auto inner = taken_apart(drawing);
  const auto title =
      fmt::format("{}: profile {}, {}", node.node, plan.profile, ranks_text(plan, node));
  const auto subtitle = explanation(plan, node);
  const auto legend = legend_of(node, inner.width);
  const auto text_width = static_cast<double>(subtitle.size()) * subtitle_size * letter_width;
  const auto width = std::max({inner.width, legend.width, text_width}) + 2 * margin;
  const auto top = margin + title_size + subtitle_size + 20;
  const auto legend_top = top + inner.height + margin;
  const auto height = legend_top + legend.height + margin;
  return fmt::format(
             "<?xml version='1.0' encoding='UTF-8'?>\n"
             "<svg xmlns='http://www.w3.org/2000/svg' width='{0:g}' height='{1:g}' "
             "viewBox='0 0 {0:g} {1:g}'>\n"
             "<rect width='{0:g}' height='{1:g}' fill='{2}'/>\n",
             width, height, page_color) +
         svg_text(margin, margin + title_size, title_size, title, " font-weight='bold'") +
         svg_text(margin, margin + title_size + subtitle_size + 8, subtitle_size, subtitle) +
         fmt::format("<svg x='{:g}' y='{:g}' width='{:g}' height='{:g}'>", margin, top, inner.width,
                     inner.height) +
         std::string(inner.body) + "</svg>\n" +
         fmt::format("<g transform='translate({:g},{:g})'>\n", margin, legend_top) + legend.svg +
         "</g>\n</svg>\n";
}

const plan::NodePlan& node_to_draw(const plan::StepPlan& plan, const std::string& name) {
  for (const auto& node : plan.nodes)
    if (name.empty() ? node.node_rank == 0 : node.node == name) return node;
  if (name.empty() && !plan.nodes.empty()) return plan.nodes.front();
  throw Error(
      fmt::format("--node: the plan has no node {}; use one of its nodes ({} in all), such as {}",
                  text::in_quotes(name), plan.nodes.size(),
                  plan.nodes.empty() ? "none" : plan.nodes.front().node));
}

}  // namespace muster::picture
