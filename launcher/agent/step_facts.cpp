#include "step_facts.hpp"

#include "core/error.hpp"
#include "core/request.hpp"
#include "core/wire/names.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace muster::agent {
namespace {

std::optional<std::string> variable(const Environment& environment, const char* name) {
  const auto found = environment.find(name);
  if (found == environment.end()) return std::nullopt;
  return found->second;
}

}  // namespace

Environment environment_of(const wire::StepFacts& facts) {
  Environment environment;
  for (const auto& entry : facts.environment) {
    const auto equals = entry.find('=');
    if (equals == std::string::npos || entry.substr(equals + 1) == missing_plugin) continue;
    environment.emplace(entry.substr(0, equals), entry.substr(equals + 1));
  }
  return environment;
}

std::vector<std::string> placeholders_of(const wire::StepFacts& facts) {
  std::vector<std::string> names;
  for (const auto& entry : facts.environment) {
    const auto equals = entry.find('=');
    if (equals != std::string::npos && entry.substr(equals + 1) == missing_plugin) {
      names.push_back(entry.substr(0, equals));
    }
  }
  return names;
}

Attempt attempt_of(const wire::StepFacts& facts, const Site& site) {
  if (const auto text = variable(site.environment(), wire::request_variable)) {
    return attempt_from_json(*text);
  }
  return {.request = make_request(site.asked(facts.option).settings)};
}

bool can_gather(const Attempt& attempt) {
  return attempt.key != StepKey{};
}

channel::Place channel_of(const Attempt& attempt, const Environment& environment) {
  auto place = attempt.channel;
  // Not SLURM_LAUNCH_NODE_IPADDR: an outer step's is still in the environment here.
  const auto srun = variable(environment, "SLURM_SRUN_COMM_HOST");
  if (place && srun && !srun->empty()) place.addresses.insert(place.addresses.begin(), *srun);
  return place;
}

Layout layout_of(const wire::StepFacts& facts, const Environment& environment) {
  if (const auto text = variable(environment, wire::step_variable)) return layout_from_text(*text);
  return layout_from_variables(environment, facts.node_index, facts.global_ids);
}

NodeIndex node_of(const wire::StepFacts& facts, const Layout& layout) {
  const auto node = facts.node_index;
  if (node >= layout.nodes.size() || tasks_on(layout, node) != facts.global_ids) {
    throw Error(
        fmt::format("srun and slurmstepd disagree on the tasks of node {}; report this as "
                    "a bug with the srun command line",
                    node));
  }
  return node;
}

StepName step_name_of(const wire::StepFacts& facts, const Environment& environment,
                      std::uint32_t attempt) {
  return {variable(environment, "SLURM_CLUSTER_NAME").value_or(""), facts.job_id, facts.step_id,
          attempt};
}

std::string run_id(const StepName& name) {
  return fmt::format("{}.{}", name.job_id, name.step_id);
}

PortSources port_sources_of(const Environment& environment, const Request& request,
                            const Config& config) {
  return {.user = variable(environment, "MASTER_PORT"),
          .option = request.port,
          .option_origin = source(request, Key::port).origin,
          .reserved = variable(environment, "SLURM_STEP_RESV_PORTS"),
          .site = config.port_range};
}

std::optional<HeldPort> hold_any(const std::vector<Port>& ports) {
  for (const auto port : ports) {
    if (auto held = HeldPort::hold(port)) return held;
  }
  return std::nullopt;
}

bool user_bound_cpus(const Environment& environment) {
  // srun sets these from --cpu-bind (or the user's own SLURM_CPU_BIND) and not otherwise.
  const auto type = variable(environment, "SLURM_CPU_BIND_TYPE");
  return type && !type->empty();
}

std::string temporary_directory(const Environment& environment) {
  auto directory = variable(environment, "TMPDIR").value_or("");
  return directory.starts_with('/') ? directory : "/tmp";
}

}  // namespace muster::agent
