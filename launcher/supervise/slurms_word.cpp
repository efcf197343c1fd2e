#include "launcher/supervise/slurms_word.hpp"

#include "launcher/os/command_output.hpp"

#include <algorithm>
#include <charconv>
#include <thread>

namespace muster::supervise {
namespace {

constexpr std::chrono::seconds timeout{2};
constexpr std::chrono::seconds default_kill_wait{30};
constexpr std::string_view completing = "COMPLETING";
constexpr std::chrono::milliseconds time_to_complete{1000};
constexpr std::chrono::milliseconds ask_interval{100};

// The value of "NAME=VALUE" between spaces; empty where there is none.
std::string_view field(std::string_view line, std::string_view name) {
  std::size_t begin = 0;
  while (begin < line.size()) {
    const auto end = std::min(line.find_first_of(" \n", begin), line.size());
    const auto word = line.substr(begin, end - begin);
    if (word.size() > name.size() && word.starts_with(name) && word[name.size()] == '=') {
      return word.substr(name.size() + 1);
    }
    begin = end + 1;
  }
  return {};
}

// 0 for what is no number.
unsigned number(std::string_view text) {
  unsigned value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::string value(const Environment& environment, const char* name) {
  const auto found = environment.find(name);
  return found == environment.end() ? "" : found->second;
}

std::string_view state_to_come(std::string_view line, std::string_view reason, unsigned restarts) {
  const auto preempted = field(line, "PreemptTime");
  if (reason == "TimeLimit") return "TIMEOUT";
  if (reason == "NodeDown") return "NODE_FAIL";
  if (!preempted.empty() && preempted != "None" && reason.empty()) return "PREEMPTED";
  if (number(field(line, "Restarts")) > restarts) return "REQUEUED";
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
  const auto own = value(environment, "SLURM_JOB_ID");
  AskedJob job;
  job.id = record.step.empty() ? own : record.step.substr(0, record.step.find('.'));
  job.ends_soon = job.id != own;
  if (!job.ends_soon) job.restarts = number(value(environment, "SLURM_RESTART_COUNT"));
  return job;
}

report::SlurmsWord ask_slurm(const AskedJob& job) {
  if (job.id.empty()) return {};
  const auto ask = [&job] {
    return slurms_word(
        os::command_output({"scontrol", "--oneliner", "show", "job", job.id}, timeout),
        job.restarts);
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

// "KillWait                = 30 sec"
std::optional<std::chrono::seconds> kill_wait(std::string_view config) {
  constexpr std::string_view name = "KillWait ";
  const auto begin = config.find(name);
  if (begin == std::string_view::npos) return std::nullopt;
  const auto line = config.substr(begin, config.find('\n', begin) - begin);
  const auto digits = line.find_first_of("0123456789");
  unsigned value = 0;
  if (digits == std::string_view::npos ||
      std::from_chars(line.data() + digits, line.data() + line.size(), value).ec != std::errc{}) {
    return std::nullopt;
  }
  return std::chrono::seconds{value};
}

std::chrono::seconds ask_kill_wait() {
  return kill_wait(os::command_output({"scontrol", "show", "config"}, timeout))
      .value_or(default_kill_wait);
}

}  // namespace muster::supervise
