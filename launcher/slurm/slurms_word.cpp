#include "launcher/slurm/slurms_word.hpp"

#include "core/slurm/scontrol_output.hpp"
#include "launcher/os/command_output.hpp"

#include <charconv>
#include <thread>

namespace muster::slurm {
namespace {

constexpr std::chrono::seconds scontrol_timeout{2};
constexpr std::chrono::seconds default_kill_wait{30};
constexpr std::string_view completing = "COMPLETING";
constexpr std::chrono::milliseconds time_to_complete{1000};
constexpr std::chrono::milliseconds ask_interval{100};

unsigned number_or_zero(std::string_view text) {
  unsigned value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::string_view state_to_come(std::string_view line, std::string_view reason, unsigned restarts) {
  const auto preempted = field(line, "PreemptTime");
  if (reason == "TimeLimit") return "TIMEOUT";
  if (reason == "NodeDown") return "NODE_FAIL";
  if (!preempted.empty() && preempted != "None" && reason.empty()) return "PREEMPTED";
  if (number_or_zero(field(line, "Restarts")) > restarts) return "REQUEUED";
  return completing;
}

}  // namespace

report::SlurmsWord slurms_word(std::string_view line, unsigned restarts) {
  report::SlurmsWord word;
  word.job_state = field(line, "JobState");
  word.reason = field(line, "Reason");
  if (word.reason == "None") word.reason.clear();
  if (word.job_state == completing) word.job_state = state_to_come(line, word.reason, restarts);
  return word;
}

AskedJob job_of(const report::Record& record, const Environment& environment) {
  const auto& own = environment.get("SLURM_JOB_ID");
  AskedJob job;
  job.id = record.step.empty() ? own : record.step.substr(0, record.step.find('.'));
  job.ends_soon = job.id != own;
  if (!job.ends_soon) job.restarts = number_or_zero(environment.get("SLURM_RESTART_COUNT"));
  return job;
}

report::SlurmsWord ask_slurm(const AskedJob& job) {
  if (job.id.empty()) return {};
  const auto ask = [&job] {
    const auto said =
        os::command_output({"scontrol", "--oneliner", "show", "job", job.id}, scontrol_timeout);
    return slurms_word(job_line(said, job.id), job.restarts);
  };
  auto word = ask();
  const auto deadline = std::chrono::steady_clock::now() + time_to_complete;
  while (job.ends_soon && word.job_state == completing && word.reason.empty() &&
         std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(ask_interval);
    word = ask();
  }
  return word;
}

std::optional<std::chrono::seconds> kill_wait(std::string_view config) {
  const auto seconds = config_number(config, "KillWait");
  if (!seconds) return std::nullopt;
  return std::chrono::seconds{*seconds};
}

std::chrono::seconds ask_kill_wait() {
  return kill_wait(os::command_output({"scontrol", "show", "config"}, scontrol_timeout))
      .value_or(default_kill_wait);
}

}  // namespace muster::slurm
