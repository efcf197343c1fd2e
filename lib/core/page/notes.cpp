// Shows what the preflights found, and the warnings of the plan and the nodes.
#include "core/page/figures.hpp"
#include "core/page/markup.hpp"
#include "core/page/sections.hpp"
#include "core/page/table.hpp"
#include "core/report/screen.hpp"
#include "core/text/amounts.hpp"

#include <fmt/format.h>

namespace muster::page {
namespace {

constexpr std::size_t max_notes = 100;

std::string figures_of(const report::PreflightRun& run) {
  if (!run.failure.empty()) return escaped(run.failure);
  if (run.rounds == 0) return {};
  auto text =
      fmt::format("median {:.1f} \u00b5s, {:.1f} MB/s", run.latency_us, run.bandwidth / 1e6);
  if (run.nccl_latency_us > 0) {
    text += fmt::format("; NCCL {:.1f} \u00b5s, {:.1f} MB/s", run.nccl_latency_us,
                        run.nccl_bandwidth / 1e6);
  }
  return text;
}

void add(std::vector<std::string>& notes, std::string note) {
  if (notes.size() < max_notes) notes.push_back(std::move(note));
}

}  // namespace

std::string preflights_of(const Run& run) {
  const auto* const last = last_report(run);
  if (last == nullptr || last->report.preflight.empty()) return {};
  Table runs("Preflights",
             {{"Before attempt", true}, {"Took", true}, {"Nodes", true}, {"Network"}});
  Table problems(
      "Nodes with problems",
      {{"Node"}, {"Before attempt", true}, {"Verdict"}, {"What"}, {"What happened to it"}});
  for (const auto& each : last->report.preflight) {
    runs.add({fmt::to_string(each.attempt), text::duration(each.duration),
              fmt::to_string(each.nodes), figures_of(each)});
    for (const auto& [node, verdict, what, action] : each.problems) {
      problems.add({escaped(node), fmt::to_string(each.attempt), escaped(verdict), escaped(what),
                    escaped(action)});
    }
  }
  return runs.html() + (problems.empty() ? "" : problems.html());
}

std::string notes_of(const Run& run) {
  std::vector<std::string> notes;
  if (const auto& plan = run.folders.back().plan) {
    for (const auto& node : plan->nodes) {
      for (const auto& warning : node.warnings) add(notes, escaped(warning));
    }
    if (!plan->spares.empty())
      add(notes, fmt::format("{} {} kept in reserve at the start.",
                             text::count(plan->spares.size(), "node"),
                             plan->spares.size() == 1 ? "was" : "were"));
  }
  if (run.other_runs > 0) {
    add(notes,
        fmt::format(
            "The directory also has {} of other runs: <code>muster report DIR/FOLDER</code> shows one.",
            text::count(run.other_runs, "folder")));
  }
  std::string items;
  for (const auto& note : notes) items += fmt::format("<li>{}</li>\n", note);
  return items.empty() ? items : fmt::format("<ul>\n{}</ul>\n", items);
}

}  // namespace muster::page
