#include "launcher/supervise/slurms_word.hpp"

#include "launcher/os/command_output.hpp"

#include <algorithm>
#include <charconv>

namespace muster::supervise {
namespace {

constexpr std::chrono::seconds timeout{2};
constexpr std::chrono::seconds default_kill_wait{30};

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

}  // namespace

report::SlurmsWord slurms_word(std::string_view line) {
  report::SlurmsWord word;
  word.job_state = field(line, "JobState");
  word.reason = field(line, "Reason");
  if (word.reason == "None") word.reason.clear();
  return word;
}

std::string job_of(const report::Record& record, const Environment& environment) {
  if (!record.step.empty()) return record.step.substr(0, record.step.find('.'));
  const auto job = environment.find("SLURM_JOB_ID");
  return job == environment.end() ? "" : job->second;
}

report::SlurmsWord ask_slurm(const std::string& job) {
  if (job.empty()) return {};
  return slurms_word(os::command_output({"scontrol", "--oneliner", "show", "job", job}, timeout));
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
