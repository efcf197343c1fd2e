#include "core/page/bootstrap_picture.hpp"

#include "core/page/figures.hpp"
#include "core/page/markup.hpp"
#include "core/page/table.hpp"
#include "core/report/screen.hpp"
#include "core/text/amounts.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

namespace muster::page {
namespace {

using std::chrono::nanoseconds;

constexpr std::size_t columns = 250;  // per picture, however many ranks there are
constexpr double width = 1000;        // measured in the picture's own units
constexpr double height = 30;  // for the ranks; the slowest one has a strip of its own below them
constexpr double least_height = 2.5;  // for few ranks among many, so that they remain visible
constexpr double least_strip = 4;
constexpr nanoseconds noteworthy = std::chrono::milliseconds(1);

// The time range that all pictures show.
struct Window {
  nanoseconds begin{0};
  nanoseconds end{0};

  [[nodiscard]] double share(nanoseconds time) const {
    const auto length = static_cast<double>((end - begin).count());
    if (length <= 0) return 0;
    return std::clamp(static_cast<double>((time - begin).count()) / length, 0.0, 1.0);
  }
  [[nodiscard]] std::size_t column(nanoseconds time) const {
    return std::min(columns - 1, static_cast<std::size_t>(share(time) * columns));
  }
};

Window window_of(const std::vector<PhaseOfAll>& phases) {
  Window window{phases.front().first_begin(), phases.front().last_end()};
  for (const auto& phase : phases) {
    window.begin = std::min(window.begin, phase.first_begin());
    window.end = std::max(window.end, phase.last_end());
  }
  return window;
}

// How many ranks are in the phase in each column.
std::array<std::ptrdiff_t, columns> columns_of(const PhaseOfAll& phase, const Window& window) {
  std::array<std::ptrdiff_t, columns + 1> changes{};
  for (const auto& rank : phase.ranks) {
    ++changes.at(window.column(rank.begin));
    --changes.at(window.column(rank.end) + 1);
  }
  std::array<std::ptrdiff_t, columns> counts{};
  std::ptrdiff_t inside = 0;
  for (std::size_t i = 0; i < columns; ++i) counts.at(i) = inside += changes.at(i);
  return counts;
}

// A staircase along the upper edge, from the base line back to the base line.
std::string outline(const PhaseOfAll& phase, const Window& window) {
  const auto counts = columns_of(phase, window);
  const auto all = static_cast<double>(phase.ranks.size());
  std::string path;
  std::ptrdiff_t before = 0;
  for (std::size_t i = 0; i <= columns; ++i) {
    const auto count = i < columns ? counts.at(i) : 0;
    if (count == before) continue;
    const double x = width * static_cast<double>(i) / columns;
    const double share = static_cast<double>(count) / all;
    const double y = height - (count == 0 ? 0 : std::max(least_height, (height - 1) * share));
    path += path.empty() ? fmt::format("M{:.0f} {:.0f}", x, height) : fmt::format("H{:.0f}", x);
    path += fmt::format("V{:.1f}", y);
    before = count;
  }
  return path + "Z";
}

std::string strip_of(const PhaseOfRank& rank, const Window& window) {
  const double begin = std::min(window.share(rank.begin) * width, width - least_strip);
  const double end = std::max(window.share(rank.end) * width, begin + least_strip);
  return fmt::format("<rect class='slowest' x='{:.1f}' y='{:.0f}' width='{:.1f}' height='6'/>",
                     begin, height + 2, end - begin);
}

nanoseconds lateness(const PhaseOfAll& phase) {
  return slowest(phase).begin - phase.first_begin();
}

// If all ranks enter at the same time, none is late.
bool is_told(const PhaseOfAll& phase) {
  return !phase.waits || lateness(phase) >= noteworthy;
}

// Which rank was slowest, and by how much.
std::string verdict_on(const Bootstraps& all, const PhaseOfAll& phase) {
  const auto failed = phase.failures();
  const auto failures =
      failed == 0 ? "" : fmt::format("; failed on {}", text::count(failed, "rank"));
  if (!is_told(phase)) return "all arrived within 1 ms" + failures;
  const auto& rank = slowest(phase);
  const auto place = place_of(all, rank.rank);
  if (!phase.waits)
    return fmt::format("{} took longest, {}{}", place, short_duration(rank.took()), failures);
  return fmt::format("{} arrived last, {} after the first{}", place,
                     short_duration(lateness(phase)), failures);
}

std::string item(const Bootstraps& all, const PhaseOfAll& phase, const Window& window) {
  const auto verdict = verdict_on(all, phase);
  const auto label = fmt::format("{} of {}, from {} to {}: {}", escaped_sentence(phase.name),
                                 text::count(phase.ranks.size(), "rank"),
                                 short_duration(phase.first_begin() - window.begin),
                                 short_duration(phase.last_end() - window.begin), verdict);
  return fmt::format(
      "<li><div class='who'>{} <span class='soft'>{}</span></div>\n"
      "<svg class='bar area' role='img' aria-label='{}' height='38' viewBox='0 0 {:.0f} 38' "
      "preserveAspectRatio='none'><rect class='track' width='{:.0f}' height='{:.0f}'/>"
      "<path class='{}' d='{}'/>{}</svg>\n<p>{}</p></li>\n",
      escaped_sentence(phase.name), phase.waits ? "waits for all ranks" : "each rank by itself",
      label, width, width, height, phase.waits ? "meet" : "boot", outline(phase, window),
      is_told(phase) ? strip_of(slowest(phase), window) : "", verdict);
}

std::string table_of(const Bootstraps& all) {
  Table table("How long each phase took", {{"Phase"},
                                           {"Ranks", true},
                                           {"Shortest", true},
                                           {"Median", true},
                                           {"Longest", true},
                                           {"Last or slowest"}});
  for (const auto& phase : all.phases) {
    const auto spread = spread_of(phase);
    table.add({escaped_sentence(phase.name), fmt::to_string(phase.ranks.size()),
               short_duration(spread.least), short_duration(spread.median),
               short_duration(spread.most),
               is_told(phase) ? place_of(all, slowest(phase).rank) : ""});
  }
  return table.html();
}

constexpr std::string_view phases_legend =
    "<ul class='legend'><li><i class='boot'></i>ranks in a phase that waits for nobody</li>"
    "<li><i class='meet'></i>ranks in a phase that waits for all</li>"
    "<li><i class='slowest'></i>the rank that took longest, or arrived last</li>"
    "<li>the height is the number of ranks</li></ul>\n";

std::string introduction(const Bootstraps& all, const Window& window) {
  return fmt::format(
      "<p>{} using libmuster connected{}{}. The first began {} after {}, and all had finished {} "
      "later.</p>\n",
      text::count(all.nodes.size(), "rank"), all.transports.empty() ? "" : " over ", all.transports,
      short_duration(window.begin), all.zero == Zero::launch ? "the launch" : "the agents had met",
      short_duration(window.end - window.begin));
}

}  // namespace

std::string picture_of(const Bootstraps& bootstraps) {
  if (bootstraps.phases.empty()) return {};
  const auto window = window_of(bootstraps.phases);
  std::string items;
  for (const auto& phase : bootstraps.phases) items += item(bootstraps, phase, window);
  if (bootstraps.more > 0) {
    items += fmt::format("<li class='soft'>{}</li>\n", text::count(bootstraps.more, "more phase"));
  }
  return fmt::format("<h3>Bootstrap of the ranks</h3>\n{}{}<ol class='timeline'>\n{}</ol>\n{}{}",
                     introduction(bootstraps, window), phases_legend, items,
                     axis(window.end - window.begin), table_of(bootstraps));
}

}  // namespace muster::page
