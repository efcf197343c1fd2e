// Shows the effective time: the share of the time in which the ranks got any further, and what the rest was
// spent on.
#include "core/page/figures.hpp"
#include "core/page/markup.hpp"
#include "core/page/sections.hpp"
#include "core/page/table.hpp"
#include "core/report/effective_time.hpp"
#include "core/text/amounts.hpp"

#include <vector>

#include <fmt/format.h>

namespace muster::page {
namespace {

struct Spent {
  std::string_view kind;
  std::string_view name;
  std::string_view meaning;
  std::chrono::nanoseconds time;
};

// Parts that few runs have are left out where there is none.
std::vector<Spent> spans_of(const cost::Account& time) {
  const auto name = time.has_progress ? "Training" : "All ranks ran";
  std::vector spans{Spent{
      "ran", name,
      time.has_progress ? "all ranks ran, and no later attempt did the same steps again"
      : time.has_startup
          ? "from the creation of torch's process group until the first failure or the end"
          : "from when the last node's first rank had started until the first failure or the end",
      cost::effective(time)}};
  if (time.has_progress)
    spans.push_back({"lost", "Lost work", "steps that a later attempt did again", time.lost_work});
  if (time.has_startup)
    spans.push_back({"startup", "Program start",
                     time.has_progress
                         ? "from when all ranks were running until the program's first step"
                         : "from when all ranks were running until the creation of "
                           "torch's process group",
                     time.startup});
  spans.push_back({"start", "Start", "from a launch until all ranks were running", time.start});
  spans.push_back({"detection", "Detection",
                   "from a failure until muster began to stop the other ranks", time.detection});
  if (time.hang.count() > 0) {
    spans.push_back(
        {"hang", "Hang", "no progress, until muster began to stop the ranks", time.hang});
  }
  spans.push_back({"stop", "Stop",
                   "from when muster began to stop the ranks until the attempt was over",
                   time.stop});
  spans.push_back(
      {"pause", "Pauses", "until the next launch: back-off, and the choice of nodes", time.pauses});
  if (time.queue.count() > 0) {
    spans.push_back({"queue", "Queue", "the job waited for nodes after a requeue", time.queue});
  }
  return spans;
}

std::string sentence(const cost::Account& time) {
  const auto share = share_text(cost::effective_share(time));
  if (time.has_startup && !time.has_progress)
    return fmt::format("The run trained at most {} of the time", share);
  return time.has_progress ? fmt::format("The run trained {} of the time", share)
                           : fmt::format("All ranks ran {} of the time", share);
}

// What else is known, and what is not.
std::string remarks(const cost::Account& time) {
  std::string text;
  if (!time.has_progress) {
    const auto limit = cost::lost_work_limit(time);
    text += fmt::format(
        " This includes work redone since the last checkpoint{}; with <code>progress=</code> "
        "muster reports it separately.",
        limit.count() > 0 ? fmt::format(", at most {}", text::duration(limit)) : "");
  }
  if (time.held_up.count() > 0) {
    text += fmt::format(" Slow ranks or links held up all others for {}.",
                        text::duration(time.held_up));
  }
  double gpus = 0;
  for (const auto& [cause, seconds] : time.lost_gpus) gpus += seconds;
  if (gpus > 0) text += fmt::format(" The lost time cost {:.1f} GPU hours.", gpus / 3600);
  return text;
}

}  // namespace

std::string time_of(const Run& run) {
  const auto* const last = last_report(run);
  if (last == nullptr || last->report.attempts.empty()) return {};
  const auto time = report::effective_time(last->report);
  Table table(fmt::format("Breakdown of the {} from the first launch to the end",
                          text::duration(time.wall)),
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
  const auto label = sentence(time);
  return fmt::format("<p>{}.{}</p>\n{}{}", label, remarks(time), bar(parts, label), table.html());
}

}  // namespace muster::page
