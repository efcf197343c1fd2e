#include "launcher/tools/health/check_step.hpp"

#include "core/text/list.hpp"
#include "core/text/quote.hpp"
#include "launcher/os/command_output.hpp"
#include "launcher/slurm/side_step.hpp"

#include <string_view>

#include <fmt/format.h>

namespace muster::health {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds time_to_start_and_end{1000};
constexpr milliseconds time_to_cancel{300};

std::vector<std::string> program_words(const CheckStep& step, const NodeCheckOrder& order) {
  std::vector<std::string> words{step.program, "check-node",
                                 "--steps=" + text::join(order.steps, ",")};
  if (order.gpus) words.emplace_back("--gpus");
  if (order.health) {
    words.push_back("--health=" + *order.health);
    words.push_back(fmt::format("--health-timeout={}", order.health_timeout.count()));
  }
  return words;
}

// srun's own, where no node has said anything.
std::string silence_of(std::string_view output) {
  for (const auto line : text::split(output, '\n')) {
    if (!line.empty()) return text::printable(line);
  }
  return "no answer";
}

}  // namespace

std::vector<std::string> check_command(const CheckStep& step, const NodeCheckOrder& order,
                                       std::span<const std::string> nodes,
                                       const Environment& environment) {
  auto words = slurm::side_step_words(
      {.srun = step.srun, .job = step.job, .name = "muster-check", .nodes = nodes}, environment);
  const auto program = program_words(step, order);
  words.insert(words.end(), program.begin(), program.end());
  return words;
}

milliseconds max_step_time(const NodeCheckOrder& order) {
  return max_time(order) + time_to_start_and_end + time_to_cancel;
}

restart::NodeChecks ask_nodes(const CheckStep& step, const NodeCheckOrder& order,
                              std::span<const std::string> nodes, const Environment& environment,
                              int interrupt) {
  restart::NodeChecks checks;
  checks.asked = {nodes.begin(), nodes.end()};
  checks.health = order.health;
  if (nodes.empty()) return checks;
  const auto result =
      os::run_command(check_command(step, order, nodes, environment),
                      {.timeout = max_step_time(order) - time_to_cancel,
                       .max_bytes = (nodes.size() + 8) * restart::max_check_line_bytes,
                       .time_to_end = time_to_cancel,
                       .interrupt = interrupt});
  checks.answers = restart::node_checks_in(result.output);
  if (checks.answers.empty()) checks.silence = silence_of(result.output);
  return checks;
}

}  // namespace muster::health
