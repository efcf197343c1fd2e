// One node's plan as text, sent from an agent to the terminal. A variable that all tasks of the node share is
// written only once.
#include "core/binding/memory_policy.hpp"
#include "core/error.hpp"
#include "core/plan/step_plan.hpp"
#include "core/record/record.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

namespace muster::plan {
namespace {

using Mode = wire::MemoryPolicy::Mode;

constexpr record::Max any_text{std::size_t{64} << 10};
constexpr record::Max any_count{65536};

[[noreturn]] void fail() {
  throw Error(
      "a node's plan arrived truncated; is the same muster version installed on every node?");
}

struct SentTask {
  TaskPlan plan = {};
  // An empty entry stands for the next of the node's shared variables, so that the profile's order is kept.
  std::vector<std::optional<EnvVar>> variables = {};
};
template <class Io>
void fields(Io& io, SentTask& task) {
  auto& [plan, variables] = task;
  auto& own = plan.resources;
  io(plan.procid)(plan.rank)(plan.local_rank)(own.cpus)(own.numa)(own.gpus, any_count);
  // Only the task itself needs to know which nodes the memory policy names.
  io(own.nics, any_count, any_text)(own.memory.mode,
                                    record::Range{Mode::kernels, Mode::preferred_many});
  io.require(own.memory.mode == Mode::kernels ||
             binding::to_string(own.memory.mode) != binding::to_string(Mode::kernels));
  io(variables, any_count);
}

struct SentNode {
  std::string profile = {};
  rendezvous::Rendezvous rendezvous = {};
  NodePlan plan = {};
  std::vector<EnvVar> common = {};
  std::vector<SentTask> tasks = {};
  std::optional<Drawing> drawing = {};
};
template <class Io>
void fields(Io& io, SentNode& node) {
  io(node.profile, any_text)(node.rendezvous.address, any_text)(node.rendezvous.port);
  io(node.plan.node, any_text)(node.plan.node_rank)(node.plan.warnings, any_count, any_text);
  io(node.plan.logs, any_text)(node.common, any_count)(node.tasks, any_count)(node.drawing);
}

SentTask sent(const TaskPlan& plan, const std::vector<EnvVar>& common) {
  SentTask task{.plan = plan};
  auto next = common.begin();
  for (auto& variable : task.plan.variables) {
    const bool is_next = next != common.end() && *next == variable;
    task.variables.push_back(is_next ? std::nullopt : std::optional(std::move(variable)));
    if (is_next) ++next;
  }
  return task;
}

TaskPlan received(SentTask task, const std::vector<EnvVar>& common) {
  auto next = common.begin();
  for (auto& variable : task.variables) {
    if (!variable && next == common.end()) fail();
    task.plan.variables.push_back(variable ? std::move(*variable) : *next++);
  }
  return std::move(task.plan);
}

}  // namespace

std::string to_text(const NodePlan& plan, const rendezvous::Rendezvous& rendezvous,
                    std::string_view profile, const std::optional<Drawing>& drawing) {
  SentNode node{.profile = std::string(profile),
                .rendezvous = rendezvous,
                .plan = plan,
                .common = shared_variables(plan),
                .drawing = drawing};
  for (const auto& task : plan.tasks) node.tasks.push_back(sent(task, node.common));
  return record::write(node);
}

StepPlan step_plan_from_texts(const std::vector<std::string>& texts) {
  StepPlan plan;
  for (const auto& text : texts) {
    auto node = record::read<SentNode>(text);
    if (!node) fail();
    plan.profile = std::move(node->profile);
    plan.rendezvous = std::move(node->rendezvous);
    for (auto& task : node->tasks)
      node->plan.tasks.push_back(received(std::move(task), node->common));
    plan.nodes.push_back(std::move(node->plan));
    if (node->drawing) plan.drawings[plan.nodes.back().node] = std::move(*node->drawing);
  }
  std::ranges::sort(plan.nodes, {}, &NodePlan::node_rank);
  if (!plan.nodes.empty()) plan.logs = plan.nodes.front().logs;
  return plan;
}

}  // namespace muster::plan
