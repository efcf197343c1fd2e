#include "launcher/channel/step/facts.hpp"

#include "core/contains.hpp"
#include "core/error.hpp"
#include "core/layout/slurm_variables.hpp"
#include "core/option/keys.hpp"
#include "core/rendezvous/port_candidates.hpp"
#include "core/request/precedence.hpp"
#include "core/request/request.hpp"
#include "core/site/config.hpp"
#include "launcher/channel/address.hpp"
#include "launcher/channel/step/step_request.hpp"
#include "launcher/site/job_facts.hpp"
#include "launcher/site/site.hpp"
#include "wire/variables.hpp"

#include <algorithm>
#include <array>
#include <climits>

#include <fmt/format.h>
#include <unistd.h>

namespace muster::step {
namespace {

std::optional<std::string> copy_of(const std::string* value) {
  return value == nullptr ? std::nullopt : std::optional(*value);
}

// Accepts both ways to count: from 0 in every component, or through the whole step.
bool are_tasks_of(const wire::StepFacts& facts, const std::vector<layout::ProcId>& tasks,
                  layout::ProcId first) {
  return facts.global_ids == tasks ||
         std::equal(
             tasks.begin(), tasks.end(), facts.global_ids.begin(), facts.global_ids.end(),
             [&](layout::ProcId task, layout::ProcId known) { return task == known + first; });
}

// Where this node may be in the layout: one index, or several if components look alike.
std::vector<layout::NodeIndex> places_of(const wire::StepFacts& facts,
                                         const layout::Layout& layout) {
  auto components = layout.components;
  if (components.empty()) components = {{.job_id = facts.job_id}};
  std::vector<layout::NodeIndex> places;
  for (std::size_t i = 0; i < components.size(); ++i) {
    const auto& [job_id, first_node, first_task] = components[i];
    const std::size_t end =
        i + 1 < components.size() ? components[i + 1].first_node : layout.nodes.size();
    const std::uint64_t node = std::uint64_t{first_node} + facts.node_index;
    if (job_id != facts.job_id || node >= end) continue;
    const auto place = static_cast<layout::NodeIndex>(node);
    if (are_tasks_of(facts, tasks_on(layout, place), first_task)) places.push_back(place);
  }
  return places;
}

}  // namespace

Environment environment_of(const wire::StepFacts& facts) {
  Environment environment;
  for (const auto& entry : facts.environment) {
    const auto equals = entry.find('=');
    if (equals != std::string::npos && entry.substr(equals + 1) == missing_plugin) continue;
    environment.add_entry(entry);
  }
  return environment;
}

std::vector<std::string> not_for_tasks(const wire::StepFacts& facts) {
  const auto names_layout = std::string(wire::step_variable) + ',';
  std::vector<std::string> names;
  for (const auto& entry : facts.environment) {
    const auto equals = entry.find('=');
    if (equals == std::string::npos) continue;
    const std::string_view value = std::string_view(entry).substr(equals + 1);
    const bool exports_layout =
        entry.starts_with("SRUN_EXPORT_ENV=") && value.starts_with(names_layout);
    if (value == missing_plugin || exports_layout) names.push_back(entry.substr(0, equals));
  }
  return names;
}

StepRequest attempt_of(const wire::StepFacts& facts, const site::Site& site) {
  if (const auto* const text = site.environment().if_set(wire::request_variable)) {
    return step_request_from_text(*text);
  }
  return {.request = request::make_request(site.merged_settings(facts.option).settings)};
}

bool can_meet(const StepRequest& attempt) {
  return attempt.key != secret::Key{};
}

channel::Address channel_of(const StepRequest& attempt, const Environment& environment) {
  auto address = attempt.channel;
  // Not SLURM_LAUNCH_NODE_IPADDR: an outer step's value is still in the environment here.
  const auto& srun = environment.get("SLURM_SRUN_COMM_HOST");
  if (address && !srun.empty()) address.addresses.insert(address.addresses.begin(), srun);
  return address;
}

layout::Layout layout_of(const wire::StepFacts& facts, const Environment& environment) {
  if (const auto* const text = environment.if_set(wire::step_variable))
    return layout::layout_from_text(*text);
  const auto* const all = environment.if_set("SLURM_STEP_NUM_TASKS");
  if (all != nullptr && *all != fmt::to_string(facts.task_count)) {
    throw Error(fmt::format(
        "the step has {} tasks in several components, and this component has no information "
        "about the others; if you use --export, add {} to it: --export={},...",
        *all, wire::step_variable, wire::step_variable));
  }
  return layout::layout_from_variables(environment, facts.node_index, facts.global_ids);
}

std::vector<std::string> own_names(const Environment& environment) {
  std::vector<std::string> names;
  if (const auto* const place = environment.if_set("SLURM_TOPOLOGY_ADDR")) {
    names.push_back(place->substr(place->rfind('.') + 1));  // in a tree of switches, the leaf
  }
  std::array<char, HOST_NAME_MAX + 1> host{};
  if (gethostname(host.data(), HOST_NAME_MAX) == 0) {
    const std::string name = host.data();
    names.push_back(name);
    names.push_back(name.substr(0, name.find('.')));
  }
  return names;
}

layout::NodeIndex node_of(const wire::StepFacts& facts, const layout::Layout& layout,
                          const std::vector<std::string>& names) {
  auto nodes = places_of(facts, layout);
  if (nodes.size() > 1) {
    std::erase_if(nodes,
                  [&](layout::NodeIndex node) { return !contains(names, layout.nodes[node]); });
  }
  if (nodes.size() != 1) {
    throw Error(
        fmt::format("srun and slurmstepd disagree on the tasks of node {}; report this as "
                    "a bug with the srun command line",
                    facts.node_index));
  }
  return nodes.front();
}

std::uint32_t job_id_of(const wire::StepFacts& facts, const layout::Layout& layout) {
  return layout.components.empty() ? facts.job_id : layout.components.front().job_id;
}

request::Request with_sites_network(request::Request request, const site::Config& config,
                                    const Environment& environment, const layout::Layout& layout) {
  if (config.networks.empty()) return request;
  const auto facts = site::facts_of_job(environment, layout.first_features);
  const auto* const rule = matching_rule(config.networks, facts);
  return rule == nullptr ? request : with_network_rule(std::move(request), *rule, config.policy);
}

rendezvous::StepName step_name_of(const wire::StepFacts& facts, const Environment& environment,
                                  const layout::Layout& layout, std::uint32_t attempt) {
  return {environment.get("SLURM_CLUSTER_NAME"), job_id_of(facts, layout), facts.step_id, attempt};
}

std::string run_id(const rendezvous::StepName& name) {
  return fmt::format("{}.{}", name.job_id, name.step_id);
}

rendezvous::PortSources port_sources_of(const Environment& environment,
                                        const request::Request& request,
                                        const site::Config& config) {
  return {.user = copy_of(environment.if_set("MASTER_PORT")),
          .option = request.port,
          .option_origin = source(request, option::Key("port")).origin,
          .reserved = copy_of(environment.if_set("SLURM_STEP_RESV_PORTS")),
          .site = config.port_range};
}

std::vector<std::string> temporary_directories(const Environment& environment) {
  const std::string common = "/tmp";
  const auto& chosen = environment.get("TMPDIR");
  if (!chosen.starts_with('/') || chosen == common) return {common};
  return {chosen, common};
}

}  // namespace muster::step
