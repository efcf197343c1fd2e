#include "core/plan/plan.hpp"

#include "core/contains.hpp"
#include "core/layout/layout.hpp"
#include "core/layout/numbering.hpp"
#include "core/option/keys.hpp"
#include "core/plan/inspector.hpp"
#include "core/plan/no_proxy.hpp"
#include "core/plan/ras_address.hpp"
#include "core/profile/exported.hpp"
#include "core/profile/profile.hpp"
#include "core/rendezvous/endpoint.hpp"
#include "core/request/request.hpp"
#include "core/request/variable_check.hpp"
#include "core/resources/openmp.hpp"
#include "core/text/list.hpp"
#include "wire/python_path.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace muster::plan {
namespace {

void put(profile::PlaceholderValues& values, profile::Placeholder placeholder, std::string value,
         Origin origin) {
  if (!value.empty()) values[placeholder] = {std::move(value), origin};
}

// The values that are the same for every task on the node.
profile::PlaceholderValues values_of_node(const PlanInputs& in, const layout::RankNumbering& step) {
  profile::PlaceholderValues values;
  const auto slurm = [&](profile::Placeholder placeholder, std::size_t number) {
    values[placeholder] = {fmt::to_string(number), Origin::slurm};
  };
  slurm(profile::Placeholder::world_size, in.layout.node_of_task.size());
  slurm(profile::Placeholder::local_world_size, step.tasks_of_node[in.node]);
  slurm(profile::Placeholder::node_rank, step.node_ranks[in.node]);
  slurm(profile::Placeholder::nodes, step.nodes);
  slurm(profile::Placeholder::restart_count, in.attempt);
  if (step.tasks_per_node) slurm(profile::Placeholder::ntasks_per_node, *step.tasks_per_node);
  put(values, profile::Placeholder::node, in.layout.nodes[in.node], Origin::slurm);
  put(values, profile::Placeholder::run_id, in.run_id, Origin::slurm);
  if (!in.run_id.empty()) {
    put(values, profile::Placeholder::ras_addr, ras_address(in.run_id, in.attempt), Origin::slurm);
  }
  values[profile::Placeholder::max_restarts] = {
      fmt::to_string(in.request.restarts + in.request.requeue),
      source(in.request, option::Key("restarts")).origin};
  put(values, profile::Placeholder::log_directory, in.log_directory,
      source(in.request, option::Key("logs")).origin);
  return values;
}

// The value that PYTHONPATH would have without the start hook: the user's, or the site's.
std::optional<std::string> own_python_path(const PlanInputs& in) {
  if (const auto* const users = in.environment.if_set(wire::python_path_variable)) return *users;
  const auto sites = std::ranges::find(in.others.site, wire::python_path_variable, &EnvVar::name);
  return sites == in.others.site.end() ? std::nullopt : std::optional(sites->value);
}

void put_start_hook(profile::PlaceholderValues& values, const PlanInputs& in) {
  if (!in.request.python) return;
  put(values, profile::Placeholder::python_path,
      wire::with_start_hook(own_python_path(in), in.start_hook),
      source(in.request, option::Key("python")).origin);
}

void put_store(profile::PlaceholderValues& values, const PlanInputs& in) {
  put(values, profile::Placeholder::agent_store, in.store.is_agent() ? "True" : "False",
      in.store.origin);
}

void put_group(profile::PlaceholderValues& values, const PlanInputs& in) {
  if (!in.group) return;
  const auto origin = source(in.request, option::Key("groups")).origin;
  put(values, profile::Placeholder::group, fmt::to_string(in.group->number), origin);
  put(values, profile::Placeholder::groups, fmt::to_string(in.group->count), origin);
  put(values, profile::Placeholder::lighthouse, in.lighthouse, origin);
}

// NCCL takes every interface whose name begins with the text, unless the text begins with "=".
std::string nccl_interface(const NodeNetwork& network) {
  return network.is_prefix ? "=" + network.interface : network.interface;
}

void put_interface(profile::PlaceholderValues& values, const NodeNetwork& network) {
  if (network.interface.empty() || network.has_other_first_address) return;
  put(values, profile::Placeholder::gloo_ifname, network.interface, Origin::rendezvous);
  put(values, profile::Placeholder::socket_ifname, nccl_interface(network), Origin::rendezvous);
}

void put_network(profile::PlaceholderValues& values, const PlanInputs& in) {
  const auto& [address, port, port_origin] = in.rendezvous;
  put(values, profile::Placeholder::master_addr, address, Origin::rendezvous);
  if (port != 0) {
    put(values, profile::Placeholder::master_port, fmt::to_string(port), port_origin);
    put(values, profile::Placeholder::rendezvous, rendezvous::endpoint_text(address, port),
        Origin::rendezvous);
  }
  put(values, profile::Placeholder::no_proxy, no_proxy(in.environment, address),
      Origin::rendezvous);
  put(values, profile::Placeholder::local_addr, in.network.address, Origin::rendezvous);
  put_interface(values, in.network);
  put(values, profile::Placeholder::endpoints,
      in.endpoints.all.empty() ? "" : fmt::format("\"{}\"", text::join(in.endpoints.all, "\",\"")),
      Origin::rendezvous);
}

void put_identity(profile::PlaceholderValues& values, const PlanInputs& in,
                  const layout::RankNumbering& step, const TaskPlan& task) {
  const auto slurm = [&](profile::Placeholder placeholder, std::size_t number) {
    values[placeholder] = {fmt::to_string(number), Origin::slurm};
  };
  slurm(profile::Placeholder::procid, task.procid);
  slurm(profile::Placeholder::rank, task.rank);
  slurm(profile::Placeholder::local_rank, task.local_rank);
  const auto across = cross(step, in.node, task.local_rank);
  slurm(profile::Placeholder::cross_rank, across.rank);
  slurm(profile::Placeholder::cross_size, across.size);
  if (!in.error_directory.empty()) {
    put(values, profile::Placeholder::error_file,
        fmt::format("{}/{}/error.json", in.error_directory, task.local_rank), Origin::profile);
  }
  if (!in.endpoints.own.empty()) {
    put(values, profile::Placeholder::task_port, fmt::to_string(in.endpoints.own[task.index]),
        Origin::rendezvous);
  }
}

void put_resources(profile::PlaceholderValues& values, const resources::TaskResources& resources) {
  const auto binding = [&](profile::Placeholder placeholder, std::size_t number) {
    values[placeholder] = {fmt::to_string(number), Origin::binding};
  };
  put(values, profile::Placeholder::cpus, resources.cpus.to_string(), Origin::binding);
  if (resources.threads > 0) binding(profile::Placeholder::threads, resources.threads);
  put(values, profile::Placeholder::ib_hca, resources.fabric.nccl, Origin::binding);
  put(values, profile::Placeholder::ucx_devices, resources.fabric.ucx, Origin::binding);
  put(values, profile::Placeholder::cxi_devices, resources.fabric.cxi, Origin::binding);
  const auto& own = resources.view.own;
  if (own.empty()) return;
  put(values, profile::Placeholder::gpu_indexes, text::join(own, ","), Origin::binding);
  binding(profile::Placeholder::workers, own.size());
  if (resources.threads > 0) {
    binding(profile::Placeholder::worker_threads,
            std::max<std::size_t>(1, resources.threads / own.size()));
  }
}

void put_openmp(profile::PlaceholderValues& values, const resources::OpenmpBinding& openmp) {
  put(values, profile::Placeholder::places, openmp.places, Origin::binding);
  put(values, profile::Placeholder::proc_bind, openmp.proc_bind, Origin::binding);
}

void add_once(std::vector<std::string>& warnings, const std::vector<std::string>& more) {
  for (const auto& text : more) {
    if (!contains(warnings, text)) {
      warnings.push_back(text);
    }
  }
}

std::vector<std::string> layout_warnings(const PlanInputs& in) {
  if (in.request.ranks == option::Ranks::contiguous || is_contiguous(in.layout)) return {};
  // A framework that uses Slurm's ranks copes with such layouts already, and cannot be renumbered.
  if (contains(in.profile.requirements, profile::Requirement::slurm_ranks)) {
    return {};
  }
  return {
      "the ranks of a node are not consecutive (--distribution), but many frameworks expect "
      "consecutive ranks; ranks=contiguous renumbers them"};
}

// If a profile sets one of these itself, it has a reason.
void add_view(std::vector<EnvVar>& variables, const resources::GpuView& view) {
  for (const auto& variable : view.variables) {
    if (std::ranges::find(variables, variable.name, &EnvVar::name) == variables.end()) {
      variables.push_back(variable);
    }
  }
}

bool is_amd(const resources::GpuView& view) {
  return std::ranges::any_of(view.variables, [](const EnvVar& variable) {
    return variable.name.starts_with("ROCR_") || variable.name.starts_with("HIP_");
  });
}

// The user's own values win, and so do the site's and those of the profile.
void add_inspector(std::vector<EnvVar>& variables, const PlanInputs& in,
                   const resources::GpuView& view) {
  if (!in.request.inspect) return;
  const auto wanted =
      inspector_variables({.origin = source(in.request, option::Key("inspect")).origin,
                           .amd = is_amd(view),
                           .directory = in.log_directory});
  for (const auto& variable : wanted) {
    const auto is_set_in = [&variable](const std::vector<EnvVar>& others) {
      return std::ranges::find(others, variable.name, &EnvVar::name) != others.end();
    };
    if (in.environment.if_set(variable.name) != nullptr || is_set_in(in.others.site) ||
        is_set_in(variables)) {
      continue;
    }
    variables.push_back(variable);
  }
}

// The user's values for the profile's variables: those that still count.
Environment environment_for_profile(const PlanInputs& in) {
  auto environment = in.environment;
  drop_empty(in.profile, environment);
  if (!in.replaces_exported) return environment;
  for (const auto& address : exported_addresses(in.profile, environment))
    environment.unset(address.name);
  return environment;
}

// The one who chose network= is responsible for these. A network chosen by a rule or default of the site
// ranks below the site's variables, but above NCCL's files.
profile::OtherSettings other_settings(const PlanInputs& in) {
  auto others = in.others;
  const auto origin = source(in.request, option::Key("network")).origin;
  if (origin == Origin::default_) return others;
  for (const auto* const name : {"NCCL_SOCKET_IFNAME", "GLOO_SOCKET_IFNAME"}) {
    others.files.unset(name);
    if (origin == Origin::site) continue;
    std::erase_if(others.site, [&](const EnvVar& variable) { return variable.name == name; });
  }
  return others;
}

}  // namespace

NodePlan make_plan(const PlanInputs& in) {
  const auto step = number_ranks(in.layout, in.request.ranks);
  NodePlan plan{.node = in.layout.nodes[in.node],
                .node_rank = step.node_ranks[in.node],
                .tasks = {},
                .warnings = {}};
  // Only the node of rank 0 reports what concerns the whole step.
  if (plan.node_rank == 0) plan.warnings = layout_warnings(in);
  auto values = values_of_node(in, step);
  put_network(values, in);
  put_start_hook(values, in);
  put_store(values, in);
  put_group(values, in);
  const auto local = tasks_on(in.layout, in.node);
  const auto openmp = openmp_bindings(in.resources);
  const auto others = other_settings(in);
  const auto environment = environment_for_profile(in);
  for (std::uint32_t i = 0; i < local.size(); ++i) {
    TaskPlan task{.procid = local[i],
                  .rank = step.rank(local[i]),
                  .local_rank = i,
                  .index = i,
                  .variables = {},
                  .resources = in.resources[i]};
    auto own = values;
    put_identity(own, in, step, task);
    put_resources(own, task.resources);
    put_openmp(own, openmp[i]);
    auto expansion = expand(in.profile, own, environment, others);
    task.variables = std::move(expansion.variables);
    add_view(task.variables, task.resources.view);
    add_inspector(task.variables, in, task.resources.view);
    request::keep_policy(in.policy, task.variables);
    if (plan.node_rank == 0 && i == 0) add_once(plan.warnings, expansion.warnings);
    plan.tasks.push_back(std::move(task));
  }
  return plan;
}

std::vector<EnvVar> shared_variables(const NodePlan& plan) {
  std::vector<EnvVar> shared;
  if (plan.tasks.empty()) return shared;
  for (const auto& variable : plan.tasks.front().variables) {
    const bool everywhere = std::ranges::all_of(
        plan.tasks, [&](const TaskPlan& task) { return contains(task.variables, variable); });
    if (everywhere) shared.push_back(variable);
  }
  return shared;
}

}  // namespace muster::plan
