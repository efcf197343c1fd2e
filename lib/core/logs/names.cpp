#include "core/logs/names.hpp"

#include "core/error.hpp"
#include "core/logs/pattern.hpp"
#include "core/text/number.hpp"

#include <fmt/format.h>

namespace muster::logs {
namespace {

std::string job_of(const std::string& step) {
  return step.substr(0, step.find('.'));
}

std::string number_of(const std::string& step) {
  const auto dot = step.find('.');
  return dot == std::string::npos ? std::string() : step.substr(dot + 1);
}

// Slurm's value outside of arrays.
constexpr std::string_view no_array_task = "4294967294";

std::string task_of(const JobName& job) {
  return job.array_task.empty() ? std::string(no_array_task) : job.array_task;
}

std::string or_else(std::string text, const std::string& other) {
  return text.empty() ? other : text;
}

std::optional<std::string> meaning(char letter, const AttemptName& attempt) {
  const auto& job = attempt.job;
  const auto number = or_else(job_of(attempt.step), job.number);
  switch (letter) {
    case 'j':
      return number;
    case 's':
      return number_of(attempt.step);
    case 'J':
      return or_else(attempt.step, number);
    case 'A':
      return or_else(job.array, number);
    case 'a':
      return task_of(job);
    case 'x':
      return job.name;
    case 'u':
      return job.user;
    case 'N':
      return job.node;
    case 'r':
      return fmt::to_string(attempt.slurm_restarts);
    default:
      return std::nullopt;
  }
}

bool has_any_of(std::string_view letters, std::string_view some) {
  return letters.find_first_of(some) != std::string_view::npos;
}

// Step numbers restart when the job is requeued.
std::string run_ending(const AttemptName& attempt) {
  return attempt.slurm_restarts > 0 ? fmt::format("-run-{}", attempt.slurm_restarts)
                                    : std::string();
}

std::string folder(const AttemptName& attempt) {
  return fmt::format("{}{}-attempt-{}", attempt.step, run_ending(attempt), attempt.attempt);
}

bool names_step_in(std::string_view letters) {
  return has_any_of(letters, "sJ");
}

// Together with %A, %a is the array's task.
bool names_attempt_in(std::string_view letters) {
  return has_any_of(letters, "a") && !has_any_of(letters, "A");
}

bool names_job_in(std::string_view letters) {
  return has_any_of(letters, "j") && !has_any_of(letters, "A");
}

// What has to be added to the name of an attempt's directory, because its letters do not say it.
std::string ending(std::string_view letters, const AttemptName& attempt) {
  std::string text;
  const bool names_step = names_step_in(letters);
  if (!names_step && attempt.beside_other_step) text += '.' + number_of(attempt.step);
  if (!has_any_of(letters, "r")) text += run_ending(attempt);
  if (!names_step && !names_attempt_in(letters) && attempt.attempt > 0) {
    text += fmt::format("-attempt-{}", attempt.attempt);
  }
  return text;
}

// 7 for "rank-7.out".
std::optional<std::uint32_t> number_in(std::string_view file) {
  constexpr std::string_view prefix = "rank-";
  const auto dot = file.rfind('.');
  if (!file.starts_with(prefix) || dot == std::string_view::npos) return std::nullopt;
  return text::number<std::uint32_t>(file.substr(prefix.size(), dot - prefix.size()));
}

}  // namespace

std::string directory(std::string_view logs, const AttemptName& attempt) {
  if (logs.empty()) throw Error("logs= is empty; set it to a directory, or leave it out");
  const auto letters = letters_in(logs);
  const bool names_array = has_any_of(letters, "A");
  auto path = expanded("logs", logs, [&](char letter) {
    return letter == 'a' && !names_array ? fmt::to_string(attempt.attempt)
                                         : meaning(letter, attempt);
  });
  if (names_step_in(letters) || names_attempt_in(letters) || names_job_in(letters)) {
    const auto more = ending(letters, attempt);
    while (!more.empty() && path.size() > 1 && path.ends_with('/')) path.pop_back();
    return path + more;
  }
  if (!path.ends_with('/')) path += '/';
  return path + folder(attempt);
}

std::string report_file(std::string_view report, const AttemptName& last) {
  return expanded("report", report, [&](char letter) { return meaning(letter, last); });
}

std::string metrics_file(std::string_view metrics, const AttemptName& first) {
  return expanded("metrics", metrics, [&](char letter) { return meaning(letter, first); });
}

bool names_job_alone(std::string_view logs) {
  const auto letters = letters_in(logs);
  return names_job_in(letters) && !names_step_in(letters);
}

bool names_step(std::string_view pattern) {
  return names_step_in(letters_in(pattern));
}

std::optional<AttemptName> attempt_of(std::string_view name) {
  constexpr std::string_view attempt_word = "-attempt-";
  constexpr std::string_view run_word = "-run-";
  const auto at = name.rfind(attempt_word);
  if (at == std::string_view::npos) return std::nullopt;
  const auto attempt = text::number<std::uint32_t>(name.substr(at + attempt_word.size()));
  auto step = name.substr(0, at);
  std::optional<std::uint32_t> restarts = 0;
  if (const auto run = step.rfind(run_word); run != std::string_view::npos) {
    restarts = text::number<std::uint32_t>(step.substr(run + run_word.size()));
    step = step.substr(0, run);
  }
  if (!attempt || !restarts || step.empty()) return std::nullopt;
  const AttemptName found{std::string(step), *attempt, *restarts};
  // Other forms of the same numbers, such as -attempt-01, do not count.
  return folder(found) == name ? std::optional(found) : std::nullopt;
}

std::optional<FileOfRank> rank_of(std::string_view file) {
  const auto rank = number_in(file);
  const auto stream = file.ends_with(".out") ? Stream::out : Stream::err;
  if (!rank || file != file_name(*rank, stream)) return std::nullopt;
  return FileOfRank{*rank, stream};
}

bool is_of_attempt(std::string_view file) {
  return file == "plan.json" || file == "report.json" || rank_of(file).has_value();
}

std::string times_name(std::uint32_t rank) {
  return fmt::format("rank-{}.times", rank);
}

std::optional<std::uint32_t> rank_of_times(std::string_view file) {
  const auto rank = number_in(file);
  return rank && file == times_name(*rank) ? rank : std::nullopt;
}

std::string file_name(std::uint32_t rank, Stream stream) {
  return fmt::format("rank-{}.{}", rank, stream == Stream::out ? "out" : "err");
}

}  // namespace muster::logs
