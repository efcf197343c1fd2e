#include "launcher/supervisor/attempts/node_health.hpp"

#include "core/request/request.hpp"
#include "core/srun/line.hpp"
#include "launcher/os/output.hpp"
#include "launcher/site/installed.hpp"
#include "launcher/site/site.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace muster::attempts {
namespace {

// Older attempts have left nothing behind, or nothing that could be killed.
constexpr std::size_t max_steps = 32;

}  // namespace

bool has_gpus(const srun::Command& command, const Environment& environment) {
  constexpr std::array<std::string_view, 6> variables{
      "SLURM_JOB_GPUS",      "SLURM_GPUS_ON_NODE",  "SLURM_GPUS",
      "SLURM_GPUS_PER_NODE", "SLURM_GPUS_PER_TASK", "SLURM_GPUS_PER_SOCKET"};
  const auto is_set = [&](std::string_view name) { return environment.contains(name); };
  if (std::ranges::any_of(variables, is_set)) return true;
  const auto line = srun::read_line(command);
  return std::ranges::any_of(line.options, [](const srun::Option& option) {
    if (option.name.starts_with("gpus")) return true;
    const bool lists = option.name == "gres" || option.name == "tres-per-task";
    return lists && option.value.value_or("").find("gpu") != std::string::npos;
  });
}

NodeHealth::NodeHealth(const Launch& launch, std::string job)
    : step_{launch.command.words.front(), std::move(job), site::installed_program()},
      order_{.gpus = has_gpus(launch.command, launch.site.environment()),
             .health = launch.request.health,
             .health_timeout = launch.request.health_timeout.limit} {}

void NodeHealth::learn(const report::Record& record, bool killed_srun) {
  in_doubt_ = killed_srun || restart::leaves_doubt(record);
  checks_ = {};
  last_nodes_.clear();
  for (const auto& node : record.nodes) last_nodes_.push_back(node.name);
  if (record.step.empty()) return;
  order_.steps.push_back(record.step);
  if (order_.steps.size() > max_steps) order_.steps.erase(order_.steps.begin());
}

std::optional<std::chrono::milliseconds> NodeHealth::time() const {
  if (!in_doubt_ && !order_.gpus && !order_.health) return std::nullopt;
  return health::max_step_time(order_);
}

void NodeHealth::ask(std::span<const restart::Candidate> candidates, bool fixed, int interrupt) {
  std::vector<std::string> nodes;
  for (const auto& candidate : candidates) {
    const bool is_used = !fixed || std::ranges::count(last_nodes_, candidate.name) > 0;
    if (is_used && candidate.fitness != restart::Fitness::unfit) nodes.push_back(candidate.name);
  }
  checks_ = health::ask_nodes(step_, order_, nodes, site::current_environment(), interrupt);
}

std::vector<restart::Candidate> NodeHealth::judge(std::vector<restart::Candidate> candidates) {
  auto judgement = restart::judge(std::move(candidates), checks_);
  if (!judgement.remark.empty() && !said_) {
    os::say(os::Severity::warning, judgement.remark);
    said_ = true;
  }
  return std::move(judgement.candidates);
}

}  // namespace muster::attempts
