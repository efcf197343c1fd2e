#include "core/page/verdict.hpp"

#include "core/report/screen.hpp"
#include "core/slurm/hostlist.hpp"
#include "core/text/amounts.hpp"

#include <fmt/format.h>

namespace muster::page {
namespace {

using report::Result;

std::string good_words(const report::Report& report) {
  if (report.attempts.size() < 2) return "Succeeded";
  return fmt::format("Succeeded, after {}", text::count(report.attempts.size() - 1, "restart"));
}

}  // namespace

Verdict verdict_of(const Run& run) {
  if (run.folders.back().damaged) return {"stopped", "i-stopped", "How it ended is unknown"};
  if (is_open(run)) return {"open", "i-open", "Still running, as far as the files show"};
  const auto& report = run.folders.back().report->report;
  const auto code = fmt::format("exit code {}", report.exit_code);
  switch (report.result) {
    case Result::ok:
      return {"good", "i-good", good_words(report)};
    case Result::cancelled:
      return {"stopped", "i-stopped", "Cancelled, " + code};
    case Result::timeout:
      return {"stopped", "i-stopped", "Ran into its time limit, " + code};
    case Result::preempted:
      return {"stopped", "i-stopped", "Preempted, " + code};
    default:
      return {"bad", "i-bad", "Failed, " + code};
  }
}

std::string_view words_for(Result result) {
  switch (result) {
    case Result::ok:
      return "succeeded";
    case Result::cancelled:
      return "was cancelled";
    case Result::timeout:
      return "ran into its time limit";
    case Result::preempted:
      return "was preempted";
    default:
      return "failed";
  }
}

std::string node_list(std::span<const std::string> names) {
  return slurm::compress_hostlist(names);
}

}  // namespace muster::page
