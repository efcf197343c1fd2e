#include "launcher/tools/exec/task_facts.hpp"

#include "core/error.hpp"
#include "core/slurm/own_step.hpp"
#include "launcher/channel/step/facts.hpp"
#include "wire/variables.hpp"

#include <charconv>
#include <optional>
#include <sstream>
#include <string_view>

#include <fmt/format.h>

namespace muster::exec {
namespace {

// Far more than the tasks that Slurm puts on a node.
constexpr std::size_t max_local_tasks = 65536;

std::optional<std::uint32_t> number(std::string_view text) {
  std::uint32_t value = 0;
  const auto* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

[[noreturn]] void fail_outside(const Environment& environment, const std::string& why) {
  const bool in_job = environment.contains("SLURM_JOB_ID");
  throw Error(fmt::format(
      "muster exec runs inside each task of a Slurm step, but {} ({}); start it with "
      "srun: srun [OPTION]... muster exec -- PROGRAM",
      in_job ? "this is a batch script or a shell of the job" : "this is not one", why));
}

std::uint32_t number_of(const Environment& environment, const char* name) {
  const auto value = number(environment.get(name));
  if (!value) fail_outside(environment, fmt::format("{} is not set", name));
  return *value;
}

std::vector<layout::ProcId> local_tasks_of(const Environment& environment) {
  std::istringstream list(environment.get("SLURM_GTIDS"));
  std::vector<layout::ProcId> tasks;
  for (std::string word; std::getline(list, word, ',') && tasks.size() < max_local_tasks;) {
    const auto task = number(word);
    if (!task) break;
    tasks.push_back(*task);
  }
  return tasks;
}

}  // namespace

TaskFacts task_facts(const Environment& environment) {
  const auto step = number_of(environment, "SLURM_STEP_ID");
  if (step >= slurm::first_special_step)
    fail_outside(environment, "SLURM_STEP_ID is not that of an ordinary step");
  TaskFacts facts{.step = {environment.get("SLURM_CLUSTER_NAME"),
                           number_of(environment, "SLURM_JOB_ID"), step, 0},
                  .node_index = number_of(environment, "SLURM_NODEID"),
                  .node_name = environment.get("SLURMD_NODENAME"),
                  .procid = number_of(environment, "SLURM_PROCID"),
                  .local_id = number_of(environment, "SLURM_LOCALID"),
                  .local_tasks = local_tasks_of(environment)};
  const auto& tasks = facts.local_tasks;
  if (facts.local_id >= tasks.size() || tasks[facts.local_id] != facts.procid) {
    throw Error(fmt::format(
        "SLURM_GTIDS, the list of this node's tasks, does not have task {} at position {}; does "
        "the environment belong to another step?",
        facts.procid, facts.local_id));
  }
  return facts;
}

bool is_planned(const Environment& environment, const rendezvous::StepName& step) {
  return environment.get(wire::planned_variable) == step::run_id(step);
}

Environment without_inherited(Environment environment, const rendezvous::StepName& step) {
  const bool inherited =
      environment.contains(wire::set_variable) || environment.contains(wire::planned_variable);
  if (!inherited || is_planned(environment, step)) return environment;
  std::istringstream names(environment.get(wire::set_variable));
  for (std::string name; names >> name;) environment.unset(name);
  environment.unset(wire::set_variable);
  environment.unset(wire::planned_variable);
  environment.unset(wire::numbering_variable);
  environment.unset(wire::exchange_variable);
  environment.unset(wire::exchange_key_variable);
  environment.unset(wire::times_variable);
  return environment;
}

bool user_bound_cpus(const Environment& environment) {
  const auto& type = environment.get("SLURM_CPU_BIND_TYPE");
  // Slurm writes its automatic binding, --cpu-bind=cores and =mask_cpu all as masks.
  return !type.empty() && type != "none" && !type.starts_with("mask_cpu");
}

}  // namespace muster::exec
