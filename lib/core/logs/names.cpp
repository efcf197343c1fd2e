#include "core/logs/names.hpp"

#include "core/error.hpp"
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

std::string file_name(std::uint32_t rank, Stream stream) {
  return fmt::format("rank-{}.{}", rank, stream == Stream::output ? "out" : "err");
}

}  // namespace muster::logs
