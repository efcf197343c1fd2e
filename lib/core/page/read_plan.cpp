#include "core/page/read_plan.hpp"

#include "core/error.hpp"
#include "core/text/json_fields.hpp"

#include <map>

namespace muster::page {
namespace {

using Json = nlohmann::json;
using text::array_in;
using text::number_in;
using text::string_in;

// A plan consists mostly of variables, which the page does not show, so they are dropped while it is read.
bool is_wanted(int /*depth*/, Json::parse_event_t event, Json& parsed) {
  return event != Json::parse_event_t::key || parsed != "env";
}

CpuSet cpus_in(const Json& json, const char* name) {
  try {
    return CpuSet::parse(string_in(json, name));
  } catch (const Error&) {
    return {};
  }
}

std::vector<resources::TaskGpu> gpus_of(const Json& json) {
  std::vector<resources::TaskGpu> gpus;
  for (const auto& each : array_in(json, "gpus")) {
    resources::TaskGpu gpu{
        .index = number_in(each, "index"), .busid = string_in(each, "busid"), .uuid = {}};
    if (const auto uuid = string_in(each, "uuid"); !uuid.empty()) gpu.uuid = uuid;
    gpus.push_back(std::move(gpu));
  }
  return gpus;
}

plan::TaskPlan task_of(const Json& json, std::uint32_t rank) {
  plan::TaskPlan task;
  task.rank = rank;
  task.procid = number_in(json, "procid").value_or(rank);
  task.local_rank = number_in(json, "local_rank").value_or(0);
  task.resources.cpus = cpus_in(json, "cpus");
  task.resources.numa = cpus_in(json, "numa");
  task.resources.gpus = gpus_of(json);
  task.resources.nics = text::strings_in(json, "nics");
  return task;
}

std::vector<plan::NodePlan> nodes_of(const Json& json) {
  std::vector<plan::NodePlan> nodes;
  std::map<std::string, std::size_t> places;
  for (const auto& each : array_in(json, "ranks")) {
    const auto rank = number_in(each, "rank");
    if (!rank) continue;
    const auto name = string_in(each, "node");
    const auto [place, is_new] = places.try_emplace(name, nodes.size());
    if (is_new) {
      nodes.emplace_back();
      nodes.back().node = name;
      nodes.back().node_rank = number_in(each, "node_rank").value_or(0);
    }
    nodes[place->second].tasks.push_back(task_of(each, *rank));
  }
  return nodes;
}

}  // namespace

plan::StepPlan read_plan(std::string_view text) {
  Json json;
  try {
    json = text::parse_json(text, is_wanted);
  } catch (const Json::exception&) {
    throw Error("it is not JSON, or it is truncated");
  }
  if (number_in(json, "version") != 1U || !text::field(json, "ranks").is_array()) {
    throw Error("it is not a version 1 plan");
  }
  plan::StepPlan plan;
  plan.profile = string_in(json, "profile");
  const auto& master = text::field(json, "master");
  plan.rendezvous.address = string_in(master, "addr");
  plan.nodes = nodes_of(json);
  plan.logs = string_in(json, "logs");
  plan.spares = text::strings_in(json, "spares");
  // Only the text of a warning says which node it is about.
  if (!plan.nodes.empty()) plan.nodes.front().warnings = text::strings_in(json, "warnings");
  return plan;
}

}  // namespace muster::page
