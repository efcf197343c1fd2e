#include "launcher/slurm/job_facts.hpp"

#include "core/slurm/scontrol_output.hpp"
#include "launcher/os/command_output.hpp"
#include "launcher/slurm/allocation.hpp"
#include "launcher/slurm/refusal.hpp"

#include <charconv>
#include <ctime>

namespace muster::slurm {
namespace {

using std::chrono::system_clock;

// "2026-01-02T03:04:05", in this machine's time zone as scontrol prints it; nothing for "Unknown".
std::optional<system_clock::time_point> time_of(std::string_view text) {
  std::tm time{};
  const std::string whole(text);
  const char* const end = strptime(whole.c_str(), "%Y-%m-%dT%H:%M:%S", &time);
  if (end == nullptr || *end != '\0') return std::nullopt;
  time.tm_isdst = -1;
  const auto seconds = std::mktime(&time);
  if (seconds == -1) return std::nullopt;
  return system_clock::from_time_t(seconds);
}

std::uint32_t number(std::string_view text) {
  std::uint32_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

std::optional<JobFacts> job_facts(std::string_view line) {
  if (field(line, "JobId").empty()) return std::nullopt;
  JobFacts facts;
  facts.name = task_name(line);
  facts.now.state = field(line, "JobState");
  facts.now.requeues = number(field(line, "Restarts"));
  // An earlier run of the job may have been preempted.
  const auto preempted = time_of(field(line, "PreemptTime"));
  const auto start = time_of(field(line, "StartTime"));
  facts.now.preempted = preempted && start && *preempted >= *start;
  facts.now.timed_out = field(line, "Reason") == "TimeLimit" || facts.now.state == "TIMEOUT";
  facts.batch = number(field(line, "BatchFlag")) > 0;
  facts.may_requeue = number(field(line, "Requeue")) > 0;
  facts.end = time_of(field(line, "EndTime"));
  return facts;
}

std::optional<JobFacts> ask_job_facts(const std::string& job, std::chrono::milliseconds timeout) {
  const auto result = os::run_command(
      {"env", "SLURM_TIME_FORMAT=standard", "scontrol", "--all", "--oneliner", "show", "job", job},
      {.timeout = timeout, .max_bytes = max_job_bytes});
  return job_facts(job_line(result.output, job));
}

std::string requeue(const std::string& name, std::chrono::milliseconds timeout) {
  const auto result = os::run_command({"scontrol", "requeue", name}, {.timeout = timeout});
  return refusal(result, timeout);
}

}  // namespace muster::slurm
