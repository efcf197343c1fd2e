#include "launcher/tools/health/check_step.hpp"

#include "core/slurm/node_answers.hpp"
#include "core/text/list.hpp"
#include "core/text/quote.hpp"
#include "launcher/slurm/side_step.hpp"

#include <fmt/format.h>

namespace muster::health {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds step_timeout{1300};

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
  return max_time(order) + step_timeout;
}

restart::NodeChecks ask_nodes(const CheckStep& step, const NodeCheckOrder& order,
                              std::span<const std::string> nodes, const Environment& environment,
                              int interrupt) {
  restart::NodeChecks checks;
  checks.asked = {nodes.begin(), nodes.end()};
  checks.health = order.health;
  if (nodes.empty()) return checks;
  const auto output =
      slurm::run_on_nodes(check_command(step, order, nodes, environment),
                          {.timeout = max_step_time(order),
                           .max_bytes = (nodes.size() + 8) * restart::max_check_line_bytes,
                           .interrupt = interrupt});
  checks.answers = restart::node_checks_in(output);
  const auto why = slurm::line_of_srun(output);
  if (checks.answers.empty() && !why.empty()) checks.silence = text::printable(why);
  return checks;
}

}  // namespace muster::health
