#include "core/plan.hpp"

#include "core/wire/names.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace muster {
namespace {

// What is the same for every task of the step, computed once.
struct StepView {
  std::vector<std::uint32_t> rank_of_task;  // empty: RANK is the task number
  std::uint32_t node_rank = 0;
  std::uint32_t nodes = 0;
  std::vector<ProcId> local;
};

StepView view(const PlanInputs& in) {
  StepView step;
  if (in.request.ranks == Ranks::contiguous) step.rank_of_task = contiguous_ranks(in.layout);
  step.node_rank = node_ranks(in.layout)[in.node];
  step.nodes = node_count(in.layout);
  step.local = tasks_on(in.layout, in.node);
  return step;
}

void put(PlaceholderValues& values, Placeholder placeholder, std::string value, Origin origin) {
  if (!value.empty()) values[placeholder] = {std::move(value), origin};
}

void put_identity(PlaceholderValues& values, const PlanInputs& in, const StepView& step,
                  const TaskPlan& task) {
  const auto slurm = [&](Placeholder placeholder, std::size_t number) {
    values[placeholder] = {fmt::to_string(number), Origin::slurm};
  };
  slurm(Placeholder::procid, task.procid);
  slurm(Placeholder::rank, task.rank);
  slurm(Placeholder::local_rank, task.local_rank);
  slurm(Placeholder::world_size, in.layout.node_of_task.size());
  slurm(Placeholder::local_world_size, step.local.size());
  slurm(Placeholder::node_rank, step.node_rank);
  slurm(Placeholder::nodes, step.nodes);
  slurm(Placeholder::restart_count, in.attempt);
  values[Placeholder::max_restarts] = {fmt::to_string(in.request.restarts),
                                       source(in.request, Key::restarts).origin};
  put(values, Placeholder::run_id, in.run_id, Origin::slurm);
}

void put_network(PlaceholderValues& values, const PlanInputs& in) {
  const auto& [address, port, port_origin] = in.rendezvous;
  put(values, Placeholder::master_addr, address, Origin::rendezvous);
  if (port != 0) put(values, Placeholder::master_port, fmt::to_string(port), port_origin);
  put(values, Placeholder::gloo_ifname, in.network.interface, Origin::rendezvous);
  put(values, Placeholder::socket_ifname, in.network.interface, Origin::rendezvous);
  put(values, Placeholder::ib_hca, in.network.hcas, Origin::rendezvous);
}

PlaceholderValues values_for(const PlanInputs& in, const StepView& step, const TaskPlan& task) {
  PlaceholderValues values;
  put_identity(values, in, step, task);
  put_network(values, in);
  if (!in.error_directory.empty()) {
    put(values, Placeholder::error_file,
        fmt::format("{}/{}/error.json", in.error_directory, task.local_rank), Origin::profile);
  }
  const auto& cpus = in.cpus[task.local_rank];
  put(values, Placeholder::cpus, task.cpus.to_string(), Origin::binding);
  if (cpus.threads > 0) {
    put(values, Placeholder::threads, fmt::to_string(cpus.threads), Origin::binding);
  }
  return values;
}

void add_once(std::vector<std::string>& warnings, const std::vector<std::string>& more) {
  for (const auto& text : more) {
    if (std::find(warnings.begin(), warnings.end(), text) == warnings.end()) {
      warnings.push_back(text);
    }
  }
}

std::vector<std::string> layout_warnings(const PlanInputs& in) {
  if (in.request.ranks == Ranks::contiguous || is_contiguous(in.layout)) return {};
  return {
      "the ranks of a node are not consecutive (--distribution), which many frameworks take for "
      "granted; ranks=contiguous renumbers them"};
}

std::vector<wire::Assignment> assignments(const std::vector<EnvVar>& variables) {
  std::vector<wire::Assignment> set;
  set.reserve(variables.size());
  std::string ours;
  for (const auto& variable : variables) {
    set.push_back({variable.name, variable.value});
    if (variable.origin == Origin::user) continue;
    if (!ours.empty()) ours += ' ';
    ours += variable.name;
  }
  set.push_back({wire::set_variable, std::move(ours)});
  return set;
}

}  // namespace

NodePlan make_plan(const PlanInputs& in) {
  const auto step = view(in);
  NodePlan plan;
  // Things that hold for the whole step are said once, by the node of rank 0.
  if (step.node_rank == 0) plan.warnings = layout_warnings(in);
  for (std::uint32_t local = 0; local < step.local.size(); ++local) {
    const auto procid = step.local[local];
    TaskPlan task{.procid = procid,
                  .rank = step.rank_of_task.empty() ? procid : step.rank_of_task[procid],
                  .local_rank = local,
                  .variables = {},
                  .cpus = in.cpus[local].cpus};
    auto expansion = expand(in.profile, values_for(in, step, task), in.environment);
    task.variables = std::move(expansion.variables);
    if (step.node_rank == 0 && local == 0) add_once(plan.warnings, expansion.warnings);
    plan.tasks.push_back(std::move(task));
  }
  return plan;
}

wire::NodePlan to_wire(const NodePlan& plan) {
  wire::NodePlan message{.warnings = plan.warnings, .set = {}, .unset = {}, .tasks = {}};
  for (const auto& task : plan.tasks) {
    message.tasks.push_back({assignments(task.variables), task.cpus.words()});
  }
  return message;
}

}  // namespace muster
