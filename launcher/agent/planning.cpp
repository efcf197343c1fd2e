#include "launcher/agent/planning.hpp"

#include "core/error.hpp"
#include "core/layout/numbering.hpp"
#include "core/plan/network_remark.hpp"
#include "core/remark/exported_address.hpp"
#include "core/remark/kept_port.hpp"
#include "core/remark/uneven_tasks.hpp"
#include "core/remark/wrapped.hpp"
#include "core/site/config.hpp"
#include "core/text/list.hpp"
#include "launcher/agent/node/variable_remark.hpp"
#include "launcher/agent/port/owner.hpp"
#include "launcher/agent/port/task_ports.hpp"
#include "launcher/channel/host_answers.hpp"
#include "launcher/channel/step/facts.hpp"
#include "launcher/site/installed.hpp"
#include "wire/python_path.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace muster::agent {
namespace {

constexpr std::chrono::seconds lighthouse_timeout{2};

std::vector<port::HeldPort> hold_for_tasks(const StepContext& context, const Agreement& agreement) {
  if (!port::wants_endpoints(agreement.setup.profile)) return {};
  const auto tasks = context.facts.global_ids.size();
  const auto candidates =
      task_port_candidates(context.port_sources, context.name, tasks, agreement.rendezvous.port);
  return port::hold_task_ports(candidates, tasks, context.node_name());
}

// The endpoints of all nodes, one line per node.
std::string share_with_others(const StepContext& context, const Agreement& agreement,
                              const std::string& own) {
  if (context.is_alone()) return own;
  const auto all = context.supervisor().ask("share", own, context.deadline());
  if (all) return *all;
  throw Error(
      fmt::format("{}: profile {} needs the ports of all nodes, which the supervisor on the "
                  "submit host passes on, but it did not answer; is supervise=off set?",
                  context.node_name(), agreement.setup.profile.name));
}

plan::Endpoints endpoints(const StepContext& context, const Agreement& agreement,
                          const std::vector<port::HeldPort>& ports) {
  if (!port::wants_endpoints(agreement.setup.profile)) return {};
  const auto own = endpoints_text(agreement.network.address, ports);
  const auto text = share_with_others(context, agreement, own);
  plan::Endpoints result{port::endpoints_by_rank(text, context.layout, context.request().ranks),
                         {}};
  for (const auto& port : ports) result.own.push_back(port.port());
  return result;
}

std::unique_ptr<ErrorDirectory> make_error_directory(const StepContext& context) {
  std::unique_ptr<ErrorDirectory> directory;
  for (const auto& base : step::temporary_directories(context.environment)) {
    directory = std::make_unique<ErrorDirectory>(
        base, step::run_id(context.name), context.node_name(), context.facts.global_ids.size());
    if (!directory->path().empty()) break;
  }
  return directory;
}

// Apptainer prefers any PYTHONPATH from outside to the image's own.
bool hides_images_path(const StepContext& context) {
  return context.environment.get(wire::python_path_variable).empty() &&
         remark::runs_in_apptainer(context.facts.arguments);
}

// Tasks in another root would not find it.
std::string start_hook(const StepContext& context) {
  return context.facts.other_root || hides_images_path(context) ? std::string()
                                                                : site::installed_start_hook();
}

// Returns a warning if the tasks have no error file although the profile promises one.
std::string error_file_remark(const StepContext& context, const profile::Profile& profile) {
  if (!uses(profile, profile::Placeholder::error_file)) return {};
  return fmt::format(
      "{}: cannot create a directory in {}, so there are no files for torch's errors; set TMPDIR to a "
      "directory that exists before the tasks start",
      context.node_name(), text::join(step::temporary_directories(context.environment), " or "));
}

void keep_output(plan::NodePlan& plan, const LogFiles& logs) {
  plan.logs = logs.directory;
  for (std::size_t i = 0; i < logs.ranks.size(); ++i) {
    plan.tasks[i].output = logs.ranks[i].output;
    plan.tasks[i].error = logs.ranks[i].error;
  }
}

std::vector<std::string> remarks_on_exported(const StepContext& context,
                                             const Agreement& agreement) {
  std::vector<std::string> remarks;
  if (context.attempt.number == 0 && !context.facts.without_slurm) {
    remarks.push_back(remark::kept_port(agreement.setup.profile, agreement.rendezvous.port_origin,
                                        agreement.rendezvous.port));
  }
  const remark::RankZero rank_0{.node = context.node_name(),
                                .address = agreement.rendezvous.address,
                                .nodes = node_count(context.layout)};
  const auto* const of = context.attempt.number > 0 ? "attempt" : "group";
  for (const auto& address : agreement.exported) {
    remarks.push_back(agreement.replaces_exported ? replaced_address(address, rank_0, of)
                                                  : kept_address(address, rank_0));
  }
  return remarks;
}

void add(std::vector<std::string>& warnings, std::string remark) {
  if (!remark.empty()) warnings.push_back(std::move(remark));
}

// Only the node of rank 0 reports what applies to the whole step.
void add_remarks(plan::NodePlan& plan, const StepContext& context, const Agreement& agreement) {
  const auto& request = context.request();
  if (request.explain || request.dry_run)
    add(plan.warnings, network_remark(plan, agreement.network, agreement.setup.profile));
  if (plan.node_rank != 0) return;
  for (auto& remark : remarks_on_exported(context, agreement))
    add(plan.warnings, std::move(remark));
  add(plan.warnings,
      remark::uneven_tasks(context.layout, number_ranks(context.layout, context.request().ranks),
                           context.environment));
  if (!request.explain && !request.dry_run && !request.verbose) return;
  add(plan.warnings, node::variable_remark(plan, context.environment, node_count(context.layout)));
}

// The agents' own rendezvous at this port is over.
os::Descriptor listen_for_store(const StepContext& context, const profile::StoreServer& store,
                                const HeldPorts& ports) {
  if (!store.is_agent() || !ports.rendezvous || context.request().dry_run) return os::Descriptor();
  auto listener = ports.rendezvous->listen();
  if (listener) return listener;
  const auto port = ports.rendezvous->port();
  throw Error(fmt::format(
      "{}: cannot serve torch's store: port {} is taken{}; choose another port with port=, or "
      "omit store=agent",
      context.node_name(), port, port::describe_owner(port)));
}

// By the address at which this node reaches the supervisor's host. Empty if the supervisor runs none.
std::string lighthouse_url(const StepContext& context, const profile::Profile& profile) {
  const auto port = context.attempt.lighthouse_port;
  if (port == 0 || !uses(profile, profile::Placeholder::lighthouse)) return {};
  auto place = context.attempt.channel;
  place.port = port;
  const auto address = channel::answering_address(place, lighthouse_timeout);
  return fmt::format("http://{}", rendezvous::endpoint_text(address, port));
}

// A user who chose the port by hand may have passed it to the program as well.
bool tasks_know_port(const StepContext& context, const profile::Profile& profile) {
  return context.has_chosen_port() || remark::tells_port(profile);
}

}  // namespace

PlannedNode plan_node(const StepContext& context, Agreement agreement) {
  auto errors = make_error_directory(context);
  auto task_ports = hold_for_tasks(context, agreement);
  const auto store = store_server(context.request(), agreement.setup.profile, context.environment);
  auto listener = listen_for_store(context, store, agreement.ports);
  auto plan = plan::make_plan({.request = context.request(),
                               .profile = agreement.setup.profile,
                               .layout = context.layout,
                               .node = context.node,
                               .rendezvous = agreement.rendezvous,
                               .replaces_exported = agreement.replaces_exported,
                               .network = agreement.network,
                               .resources = std::move(agreement.setup.resources.tasks),
                               .endpoints = endpoints(context, agreement, task_ports),
                               .run_id = step::run_id(context.name),
                               .error_directory = errors->path(),
                               .log_directory = agreement.setup.logs.directory,
                               .start_hook = start_hook(context),
                               .store = store,
                               .group = context.attempt.group,
                               .lighthouse = lighthouse_url(context, agreement.setup.profile),
                               .attempt = context.attempt.number,
                               .environment = context.environment,
                               .others = std::move(agreement.setup.others),
                               .policy = context.site.config().policy.variables});
  auto files = plan::move_oversized_variables(plan, errors->path());
  for (const auto& file : files) ErrorDirectory::write(file.path, file.content);
  keep_output(plan, agreement.setup.logs);
  add_remarks(plan, context, agreement);
  if (errors->path().empty()) {
    auto line = error_file_remark(context, agreement.setup.profile);
    if (!line.empty()) plan.warnings.push_back(std::move(line));
  }
  plan.warnings.insert(plan.warnings.end(), agreement.warnings.begin(), agreement.warnings.end());
  const step::ExchangePlace exchange{agreement.rendezvous.address, agreement.exchange};
  return {.plan = std::move(plan),
          .profile = agreement.setup.profile.name,
          .rendezvous = std::move(agreement.rendezvous),
          .exchange = exchange,
          .files = std::move(files),
          .ports = std::move(agreement.ports),
          .tasks_know_port = tasks_know_port(context, agreement.setup.profile),
          .store = std::move(listener),
          .task_ports = std::move(task_ports),
          .errors = std::move(errors),
          .times = agreement.times};
}

}  // namespace muster::agent
