#include "core/logs/names.hpp"

#include "core/error.hpp"
#include "core/text/number.hpp"
#include "core/text/quote.hpp"

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

std::string meaning(char letter, std::string_view logs, const AttemptName& attempt) {
  switch (letter) {
    case 'j':
      return job_of(attempt.step);
    case 's':
      return number_of(attempt.step);
    case 'J':
      return attempt.step;
    case 'a':
      return fmt::to_string(attempt.attempt);
    case 'r':
      return fmt::to_string(attempt.slurm_restarts);
    case '%':
      return "%";
    default:
      throw Error(fmt::format(
          "logs={}: there is no %{}; %j is the job, %s the step, %J both, %a the attempt, %r how "
          "often the job ran before, and %% a %",
          text::printable_path(logs), text::printable(std::string_view(&letter, 1))));
  }
}

std::string folder(const AttemptName& attempt) {
  const auto again =
      attempt.slurm_restarts > 0 ? fmt::format("-run-{}", attempt.slurm_restarts) : std::string();
  return fmt::format("{}{}-attempt-{}", attempt.step, again, attempt.attempt);
}

// Of "rank-7.out".
std::optional<std::uint32_t> number_in(std::string_view file) {
  constexpr std::string_view prefix = "rank-";
  const auto dot = file.rfind('.');
  if (!file.starts_with(prefix) || dot == std::string_view::npos) return std::nullopt;
  return text::number<std::uint32_t>(file.substr(prefix.size(), dot - prefix.size()));
}

}  // namespace

std::string directory(std::string_view logs, const AttemptName& attempt) {
  if (logs.empty()) throw Error("logs= is empty; give it a directory, or leave it out");
  std::string path;
  bool names_attempt = false;
  for (std::size_t at = 0; at < logs.size(); ++at) {
    if (logs[at] != '%') {
      path += logs[at];
      continue;
    }
    const char letter = at + 1 < logs.size() ? logs[++at] : ' ';
    path += meaning(letter, logs, attempt);
    names_attempt = names_attempt || letter != '%';
  }
  if (names_attempt) return path;
  if (!path.ends_with('/')) path += '/';
  return path + folder(attempt);
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
  // Not those of other forms of the same numbers, such as -attempt-01.
  return folder(found) == name ? std::optional(found) : std::nullopt;
}

std::optional<FileOfRank> rank_of(std::string_view file) {
  const auto rank = number_in(file);
  const auto stream = file.ends_with(".out") ? Stream::output : Stream::error;
  if (!rank || file != file_name(*rank, stream)) return std::nullopt;
  return FileOfRank{*rank, stream};
}

std::string times_name(std::uint32_t rank) {
  return fmt::format("rank-{}.times", rank);
}

std::optional<std::uint32_t> rank_of_times(std::string_view file) {
  const auto rank = number_in(file);
  return rank && file == times_name(*rank) ? rank : std::nullopt;
}

std::string file_name(std::uint32_t rank, Stream stream) {
  return fmt::format("rank-{}.{}", rank, stream == Stream::output ? "out" : "err");
}

}  // namespace muster::logs
