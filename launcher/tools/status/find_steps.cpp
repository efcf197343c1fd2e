#include "launcher/tools/status/find_steps.hpp"

#include "core/error.hpp"
#include "core/text/list.hpp"
#include "core/text/quote.hpp"
#include "launcher/site/site.hpp"
#include "launcher/tools/status/ask_step.hpp"

#include <fmt/format.h>

namespace muster::status {
namespace {

// Used if no step is named and no supervisor runs on this host: the supervisor is then on the batch host of
// the user's only job.
std::string only_job() {
  constexpr std::size_t max_named = 4;
  auto jobs = running_jobs();
  if (jobs.size() == 1) return jobs.front();
  if (jobs.empty()) throw Error("you have no running job; see `squeue --me`");
  const auto count = jobs.size();
  if (count > max_named) {
    jobs.resize(max_named);
    jobs.emplace_back("...");
  }
  throw Error(fmt::format("{} of your jobs are running ({}); name one of them: muster status JOB",
                          count, text::join(jobs, ", ")));
}

}  // namespace

std::vector<Step> find_steps(const std::string& asked, bool only_here, const AskHere& ask_here) {
  auto name = with_job_number(asked);
  const auto environment = site::current_environment();
  auto steps = ask_here(name, environment);
  if (!steps.empty()) return steps;
  if (name.empty()) name = only_job();
  if (!only_here) steps = steps_of_job(name, environment);
  if (!steps.empty()) return steps;
  throw Error(
      fmt::format("job {} has no step with a supervisor; a step has one unless it runs with "
                  "supervise=off or without --distributed; see `squeue --steps`",
                  text::printable(name)));
}

}  // namespace muster::status
