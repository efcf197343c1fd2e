#include "launcher/slurm/job_state.hpp"

#include "core/srun/job_of_line.hpp"
#include "launcher/slurm/ask.hpp"

#include <charconv>
#include <string_view>
#include <thread>

namespace muster::slurm {
namespace {

constexpr std::chrono::seconds scontrol_timeout{2};
constexpr std::string_view completing = "COMPLETING";
constexpr std::chrono::milliseconds completion_timeout{1000};
constexpr std::chrono::milliseconds ask_interval{100};

unsigned number_or_zero(std::string_view text) {
  unsigned value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::string_view state_to_come(const Job& job, unsigned restarts) {
  if (job.timed_out) return "TIMEOUT";
  if (job.reason == "NodeDown") return "NODE_FAIL";
  if (job.preempted && job.reason.empty()) return "PREEMPTED";
  if (job.requeues > restarts) return "REQUEUED";
  return completing;
}

}  // namespace

report::SlurmJobState slurm_job_state(const Job& job, unsigned restarts) {
  report::SlurmJobState state{.job_state = job.state, .reason = job.reason};
  if (state.job_state == completing) state.job_state = state_to_come(job, restarts);
  return state;
}

AskedJob job_of(const report::Record& record, const srun::Command& command,
                const Environment& environment) {
  const auto own = srun::job_of_line(command, environment);
  AskedJob job;
  job.id = record.step.empty() ? own : record.step.substr(0, record.step.find('.'));
  job.ends_soon = job.id != own;
  const bool has_variables = !job.ends_soon && !srun::joins_other_job(command, environment);
  if (has_variables) job.restarts = number_or_zero(environment.get("SLURM_RESTART_COUNT"));
  return job;
}

report::SlurmJobState ask_job_state(const AskedJob& job) {
  if (job.id.empty()) return {};
  const auto ask = [&job]() -> report::SlurmJobState {
    const auto found = ask_job(job.id, scontrol_timeout);
    return found ? slurm_job_state(*found, job.restarts) : report::SlurmJobState{};
  };
  auto state = ask();
  const auto deadline = std::chrono::steady_clock::now() + completion_timeout;
  while (job.ends_soon && state.job_state == completing && state.reason.empty() &&
         std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(ask_interval);
    state = ask();
  }
  return state;
}

std::chrono::seconds ask_kill_wait() {
  return ask_config(scontrol_timeout)
      .config.value_or(Config())
      .kill_wait()
      .value_or(default_kill_wait);
}

}  // namespace muster::slurm
