// A step's plan as JSON for programs, version 1.
#include "core/binding/memory_policy.hpp"
#include "core/explain/plan_view.hpp"
#include "core/text/json.hpp"
#include "core/text/quote.hpp"

namespace muster::explain {
namespace {

// Keeps keys in the order in which people want to read them.
using Json = nlohmann::ordered_json;

constexpr int plan_version = 1;

// An ordered object copies all its values when it grows, and those of a step are large.
Json object_with_room(std::size_t fields) {
  auto object = Json::object();
  object.get_ref<Json::object_t&>().reserve(fields);
  return object;
}

Json gpu_json(const resources::TaskGpu& gpu) {
  return {{"index", gpu.index ? Json(*gpu.index) : Json()},
          {"busid", gpu.busid.empty() ? Json() : Json(gpu.busid)},
          {"uuid", gpu.uuid ? Json(*gpu.uuid) : Json()}};
}

Json gpus_json(const std::vector<resources::TaskGpu>& gpus) {
  auto list = Json::array();
  for (const auto& gpu : gpus) list.push_back(gpu_json(gpu));
  return list;
}

Json environment_json(const std::vector<EnvVar>& variables) {
  auto map = object_with_room(variables.size());
  for (const auto& [name, value, origin, identity, kept, where] : variables) {
    // A user's value may not be UTF-8, but every JSON text must be.
    map[name] = {{"value", text::is_utf8(value) ? value : text::printable_path(value)},
                 {"origin", to_string(origin)}};
    if (!where.empty()) map[name]["where"] = text::printable_path(where);
  }
  return map;
}

Json rank_json(const plan::NodePlan& node, const plan::TaskPlan& task) {
  const auto& own = task.resources;
  return {{"rank", task.rank},
          {"procid", task.procid},
          {"local_rank", task.local_rank},
          {"node_rank", node.node_rank},
          {"node", node.node},
          {"cpus", own.cpus.to_string()},
          {"numa", own.numa.to_string()},
          {"memory", binding::to_string(own.memory.mode)},
          {"gpus", gpus_json(own.gpus)},
          {"nics", own.nics},
          {"env", environment_json(task.variables)}};
}

}  // namespace

std::string to_json(const plan::StepPlan& plan) {
  auto ranks = Json::array();
  for (const auto& [node, task] : by_rank(plan)) ranks.push_back(rank_json(*node, *task));
  auto warnings = Json::array();
  for (const auto& node : plan.nodes) {
    for (const auto& warning : node.warnings) warnings.push_back(warning);
  }
  auto json = object_with_room(7);
  json["version"] = plan_version;
  json["profile"] = plan.profile;
  json["master"] = {{"addr", plan.rendezvous.address},
                    {"port", plan.rendezvous.port},
                    {"node", meeting_node(plan)}};
  json["ranks"] = std::move(ranks);
  json["warnings"] = std::move(warnings);
  if (!plan.logs.empty()) json["logs"] = plan.logs;
  if (!plan.spares.empty()) json["spares"] = plan.spares;
  return text::readable_text(json);
}

}  // namespace muster::explain
