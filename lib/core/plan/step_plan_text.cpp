// One node's plan on its way from an agent to the terminal. Compact JSON: a variable that all tasks
// of the node share is written only once.
#include "core/binding/memory_policy.hpp"
#include "core/error.hpp"
#include "core/plan/step_plan.hpp"
#include "core/text/json.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>

namespace muster::plan {
namespace {

using Json = nlohmann::json;

constexpr std::array origins{Origin::user,    Origin::option,  Origin::site,
                             Origin::slurm,   Origin::binding, Origin::rendezvous,
                             Origin::profile, Origin::default_};

[[noreturn]] void fail() {
  throw Error(
      "a node's plan arrived truncated; is the same muster version installed on every node?");
}

// The library's own conversion truncates what does not fit, and is undefined for 1e20.
template <class Number>
Number number(const Json& json) {
  if (!json.is_number_unsigned() ||
      json.get<std::uint64_t>() > std::numeric_limits<Number>::max()) {
    fail();
  }
  return static_cast<Number>(json.get<std::uint64_t>());
}

Json variable_json(const EnvVar& variable) {
  auto json = Json::array({variable.name, variable.value, static_cast<unsigned>(variable.origin)});
  if (!variable.where.empty()) json.push_back(variable.where);
  return json;
}

EnvVar variable_from(const Json& json) {
  const auto origin = number<std::size_t>(json.at(2));
  if (origin >= origins.size()) fail();
  EnvVar variable{json.at(0).get<std::string>(), json.at(1).get<std::string>(),
                  static_cast<Origin>(origin)};
  if (json.size() > 3) variable.where = json.at(3).get<std::string>();
  return variable;
}

Json gpu_json(const resources::TaskGpu& gpu) {
  return Json::array(
      {gpu.index ? Json(*gpu.index) : Json(), gpu.busid, gpu.uuid ? Json(*gpu.uuid) : Json()});
}

resources::TaskGpu gpu_from(const Json& json) {
  resources::TaskGpu gpu;
  if (!json.at(0).is_null()) gpu.index = number<unsigned>(json.at(0));
  gpu.busid = json.at(1).get<std::string>();
  if (!json.at(2).is_null()) gpu.uuid = json.at(2).get<std::string>();
  return gpu;
}

// Null stands for the next of the node's shared variables, so that the profile's order is kept.
Json task_json(const TaskPlan& task, const std::vector<EnvVar>& common) {
  auto variables = Json::array();
  std::size_t next = 0;
  for (const auto& variable : task.variables) {
    const bool is_next = next < common.size() && common[next] == variable;
    variables.push_back(is_next ? Json() : variable_json(variable));
    next += is_next ? 1 : 0;
  }
  auto gpus = Json::array();
  for (const auto& gpu : task.resources.gpus) gpus.push_back(gpu_json(gpu));
  return Json::array({task.procid, task.rank, task.local_rank, task.resources.cpus.to_string(),
                      task.resources.numa.to_string(), std::move(gpus), task.resources.nics,
                      std::move(variables), static_cast<unsigned>(task.resources.memory.mode)});
}

// Which nodes the policy names matters to the task only.
wire::MemoryPolicy memory_from(const Json& json) {
  using Mode = wire::MemoryPolicy::Mode;
  const auto mode = static_cast<Mode>(number<unsigned>(json));
  if (mode != Mode::kernels && binding::to_string(mode) == binding::to_string(Mode::kernels))
    fail();
  return {mode, {}};
}

TaskPlan task_from(const Json& json, const std::vector<EnvVar>& common) {
  TaskPlan task;
  task.procid = number<std::uint32_t>(json.at(0));
  task.rank = number<std::uint32_t>(json.at(1));
  task.local_rank = number<std::uint32_t>(json.at(2));
  task.resources.cpus = CpuSet::parse(json.at(3).get_ref<const std::string&>());
  task.resources.numa = CpuSet::parse(json.at(4).get_ref<const std::string&>());
  for (const auto& gpu : json.at(5)) task.resources.gpus.push_back(gpu_from(gpu));
  task.resources.nics = json.at(6).get<std::vector<std::string>>();
  task.resources.memory = memory_from(json.at(8));
  std::size_t next = 0;
  for (const auto& variable : json.at(7)) {
    if (variable.is_null() && next >= common.size()) fail();
    task.variables.push_back(variable.is_null() ? common[next++] : variable_from(variable));
  }
  return task;
}

Drawing drawing_from(const Json& json) {
  return {json.at(0).get<std::string>(), json.at(1).get<bool>()};
}

NodePlan node_from(const Json& json) {
  NodePlan node;
  node.node = json.at("node").get<std::string>();
  node.node_rank = number<std::uint32_t>(json.at("node_rank"));
  node.warnings = json.at("warnings").get<std::vector<std::string>>();
  node.logs = json.at("logs").get<std::string>();
  std::vector<EnvVar> common;
  for (const auto& variable : json.at("common")) common.push_back(variable_from(variable));
  for (const auto& task : json.at("tasks")) node.tasks.push_back(task_from(task, common));
  return node;
}

}  // namespace

std::string to_text(const NodePlan& plan, const rendezvous::Rendezvous& rendezvous,
                    std::string_view profile, const std::optional<Drawing>& drawing) {
  const auto common = shared_variables(plan);
  auto shown = Json::array();
  for (const auto& variable : common) shown.push_back(variable_json(variable));
  auto tasks = Json::array();
  for (const auto& task : plan.tasks) tasks.push_back(task_json(task, common));
  const Json json{{"profile", profile},
                  {"master", Json::array({rendezvous.address, rendezvous.port})},
                  {"node", plan.node},
                  {"node_rank", plan.node_rank},
                  {"warnings", plan.warnings},
                  {"logs", plan.logs},
                  {"common", std::move(shown)},
                  {"tasks", std::move(tasks)},
                  {"drawing", drawing ? Json::array({drawing->xml, drawing->threads}) : Json()}};
  return text::compact_text(json);
}

StepPlan step_plan_from_texts(const std::vector<std::string>& texts) {
  StepPlan plan;
  try {
    for (const auto& node : texts) {
      const auto json = text::parse_json(node);
      plan.profile = json.at("profile").get<std::string>();
      plan.rendezvous.address = json.at("master").at(0).get<std::string>();
      plan.rendezvous.port = number<rendezvous::Port>(json.at("master").at(1));
      plan.nodes.push_back(node_from(json));
      if (const auto& drawing = json.at("drawing"); !drawing.is_null())
        plan.drawings[plan.nodes.back().node] = drawing_from(drawing);
    }
  } catch (const Json::exception&) {
    fail();
  }
  std::ranges::sort(plan.nodes, {}, &NodePlan::node_rank);
  if (!plan.nodes.empty()) plan.logs = plan.nodes.front().logs;
  return plan;
}

}  // namespace muster::plan
