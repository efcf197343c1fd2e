// Shows the effective time: the share of the time in which all ranks were running, and what the rest was
// spent on.
#include "core/page/figures.hpp"
#include "core/page/markup.hpp"
#include "core/page/sections.hpp"
#include "core/page/table.hpp"
#include "core/report/effective_time.hpp"
#include "core/text/amounts.hpp"

#include <array>

#include <fmt/format.h>

namespace muster::page {
namespace {

struct Spent {
  std::string_view kind;
  std::string_view name;
  std::string_view meaning;
  std::chrono::nanoseconds time;
};

std::array<Spent, 5> spans_of(const report::EffectiveTime& time) {
  return {
      Spent{"ran", "All ranks ran",
            "from when the last node's first rank had started until the first failure or the end",
            time.all_ran},
      Spent{"start", "Start", "from a launch until then", time.start},
      Spent{"detection", "Detection", "from a failure until muster began to end the other ranks",
            time.detection},
      Spent{"stop", "Stop", "from then until the attempt was over", time.stop},
      Spent{"pause", "Pauses", "until the next launch: back-off, and the choice of nodes",
            time.pauses}};
}

}  // namespace

std::string time_of(const Run& run) {
  const auto* const last = last_report(run);
  if (last == nullptr || last->report.attempts.empty()) return {};
  const auto time = report::effective_time(last->report.attempts);
  Table table(fmt::format("Of {} from the first launch to the end", text::duration(time.wall)),
              {{"Part"}, {"Time", true}, {"Share", true}, {"What it is"}});
  std::vector<Part> parts;
  double at = 0;
  for (const auto& [kind, name, meaning, span] : spans_of(time)) {
    const double part = share_of(span, time.wall);
    if (span.count() > 0)
      parts.push_back({at, at + part, kind, fmt::format("{}: {}", name, text::duration(span))});
    at += part;
    table.add({fmt::format("<i class='{}'></i> {}", kind, name), text::duration(span),
               share_text(part), std::string(meaning)});
  }
  const auto label =
      fmt::format("All ranks ran {} of the time", share_text(report::effective_share(time)));
  return fmt::format("<p>{}. This includes work redone since the last checkpoint.</p>\n{}{}", label,
                     bar(parts, label), table.html());
}

}  // namespace muster::page
