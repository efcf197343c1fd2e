#include "launcher/agent/step.hpp"

#include "core/error.hpp"
#include "core/layout/numbering.hpp"
#include "core/picture/drawing.hpp"
#include "core/plan/oversized_variables.hpp"
#include "core/plan/plan.hpp"
#include "core/plan/step_plan.hpp"
#include "core/profile/requirement.hpp"
#include "launcher/agent/error_directory.hpp"
#include "launcher/agent/exchange_variables.hpp"
#include "launcher/channel/client.hpp"
#include "launcher/node/kernel_memory.hpp"
#include "launcher/node/library_settings.hpp"
#include "launcher/node/network.hpp"
#include "launcher/node/program_lookup.hpp"
#include "launcher/node/resources.hpp"
#include "launcher/node/slurm_binding.hpp"
#include "launcher/os/interfaces.hpp"
#include "launcher/port/held_port.hpp"
#include "launcher/port/task_ports.hpp"
#include "launcher/rendezvous/node_report.hpp"
#include "launcher/rendezvous/rendezvous.hpp"
#include "launcher/step/attempt.hpp"
#include "launcher/step/facts.hpp"
#include "wire/variables.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace muster::agent {

struct Step::State {
  State(wire::StepFacts given, const SiteOptions& options)
      : facts(std::move(given)),
        environment(environment_of(facts)),
        site(options, environment, false),
        attempt(attempt_of(facts, site)),
        layout(layout_of(facts, environment)),
        node(node_of(facts, layout, own_names(environment))),
        name(step_name_of(facts, environment, layout, attempt.number)) {
    attempt.request = with_sites_network(attempt.request, site.config(), environment, layout);
    if (!attempt.hint.empty()) environment["SLURM_HINT"] = attempt.hint;
    attempt.request = with_slurms_hint(attempt.request, site.config(), environment);
  }

  [[nodiscard]] bool is_host() const { return layout.node_of_task.front() == node; }
  [[nodiscard]] bool alone() const { return node_count(layout) == 1; }
  [[nodiscard]] const std::string& node_name() const { return layout.nodes[node]; }

  void prepare();
  void meet();
  void meet_as_host(const std::string& trouble);
  void meet_as_guest(const std::string& trouble);
  void accept(const Outcome& outcome);
  void hold_exchange_port(const PortSources& sources);
  [[nodiscard]] std::vector<wire::Assignment> exchange_variables() const;
  [[nodiscard]] NodeAddresses addresses() const;
  void show(NodePlan& plan) const;
  [[nodiscard]] Endpoints endpoints();
  [[nodiscard]] channel::Client caller() const;
  [[nodiscard]] NodeNetwork network() const;
  [[nodiscard]] KnownAddress way_to_host() const;
  [[nodiscard]] RendezvousInputs gathering() const;

  wire::StepFacts facts;
  Environment environment;
  Site site;
  Attempt attempt;
  Layout layout;
  NodeIndex node;
  StepName name;

  PortCandidates ports;
  std::vector<Port> meeting;  // where the agents look for each other
  NodeResources resources;
  std::vector<Interface> interfaces;
  std::optional<Interface> chosen;  // by network=
  std::optional<Profile> profile;
  std::optional<ErrorDirectory> errors;
  std::optional<HeldPort> held;
  std::optional<HeldPort> held_exchange;
  Port exchange = 0;  // the host's, for the worker library; 0: none
  std::vector<HeldPort> task_ports;
  std::optional<RebindingWatch> watch;
  std::vector<std::string> warnings;  // for the user, by this node
  Rendezvous rendezvous;
};

Step::Step(wire::StepFacts facts, const SiteOptions& site)
    : state_(std::make_unique<State>(std::move(facts), site)) {}

Step::~Step() = default;

wire::NodePlan Step::plan() {
  auto& s = *state_;
  s.meet();
  s.errors.emplace(temporary_directory(s.environment), run_id(s.name), s.facts.global_ids.size());
  const PlanInputs inputs{.request = s.attempt.request,
                          .profile = *s.profile,
                          .layout = s.layout,
                          .node = s.node,
                          .rendezvous = s.rendezvous,
                          .network = s.network(),
                          .resources = s.resources.tasks,
                          .endpoints = s.endpoints(),
                          .run_id = run_id(s.name),
                          .error_directory = s.errors->path(),
                          .attempt = s.attempt.number,
                          .environment = s.environment};
  auto plan = make_plan(inputs);
  const auto files = move_long_values(plan, s.errors->path());
  for (const auto& file : files) ErrorDirectory::write(file.path, file.content);
  plan.warnings.insert(plan.warnings.end(), s.warnings.begin(), s.warnings.end());
  if (s.attempt.request.explain || s.attempt.request.dry_run) s.show(plan);
  if (s.attempt.request.verbose && s.caller()) {
    s.watch.emplace(Rebinding(plan, s.facts.arguments), run_id(s.name), s.caller());
  }
  auto message = to_wire(plan);
  message.set.push_back({wire::planned_variable, run_id(s.name)});
  if (s.attempt.request.ranks == Ranks::contiguous) {
    message.set.push_back({wire::numbering_variable, "contiguous"});
  }
  for (auto& variable : s.exchange_variables()) message.set.push_back(std::move(variable));
  message.dry_run = s.attempt.request.dry_run;
  // Removed first, then set: one that this layout has no value for must not be left.
  message.unset = not_for_tasks(s.facts);
  for (const auto& file : files) message.unset.push_back(file.variable);
  return message;
}

RebindingWatch* Step::watch() {
  return state_->watch ? &*state_->watch : nullptr;
}

// Everything that can go wrong on this node alone.
void Step::State::prepare() {
  const auto& request = attempt.request;
  interfaces = muster::interfaces();  // first: a node in trouble must be found, too
  profile = site.profile(request.profile);
  check_requirements(*profile, layout, step_view(layout, request.ranks));
  // The agent is a child of slurmstepd: it may run on the node without what Slurm keeps for itself.
  resources = share_node(node_topology({.site = site,
                                        .environment = environment,
                                        .node = node_name(),
                                        .verbose = request.verbose}),
                         own_cpus(),
                         {.bind = bind_of(environment, request.bind),
                          .memory = request.memory,
                          .smt = request.smt,
                          .gpus = gpus_of(request, *profile),
                          .environment = environment,
                          .cores = facts.cores,
                          .tres_bind = layout.tres_bind,
                          .tasks = facts.global_ids.size(),
                          .source = site.config().topology.gpus,
                          .excluded_nics = excluded_nics(site.config().nics, node_name()),
                          .user_bound = user_bound_cpus(environment),
                          .most_threads = most_threads(environment),
                          .user_bound_memory = user_bound_memory(environment),
                          .kernel = kernel_memory()});
  respect(settings_in_files("/", environment), resources.tasks);
  chosen = chosen_interface(interfaces, request, node_name());
  if (attempt.program_elsewhere) return;
  auto missing = missing_program(facts.arguments, environment, facts.working_directory);
  if (!missing.empty()) throw Error(fmt::format("{}: {}", node_name(), missing));
}

void Step::State::meet() {
  const auto sources = port_sources_of(environment, attempt.request, site.config());
  ports = port_candidates(sources, name);
  meeting = meeting_ports(ports, sources, name);
  std::string trouble;
  try {
    prepare();
    if (is_host()) held.emplace(hold_first(ports, node_name()));
    hold_exchange_port(sources);
  } catch (const Error& error) {
    if (alone() || !can_meet(attempt)) throw;
    trouble = error.what();
  }
  if (is_host()) {
    meet_as_host(trouble);
  } else {
    meet_as_guest(trouble);
  }
  rendezvous.port_origin = ports.origin;
}

// Scripts that do not use the worker library never come here: no reason to stop a step. Where the
// nodes cannot tell each other, all count on the first candidate.
void Step::State::hold_exchange_port(const PortSources& sources) {
  if (profile->mode != Mode::rank) return;
  const auto candidates = exchange_port_candidates(sources, name, ports.ports.front());
  if (!alone() && !can_meet(attempt)) exchange = candidates.empty() ? 0 : candidates.front();
  if (!is_host()) return;
  held_exchange = hold_any(exchange == 0 ? candidates : std::vector{exchange});
  if (exchange == 0 && held_exchange) exchange = held_exchange->port();
}

std::vector<wire::Assignment> Step::State::exchange_variables() const {
  if (exchange == 0 || environment.contains(wire::exchange_variable)) return {};
  return agent::exchange_variables({rendezvous.address, exchange}, attempt.key, run_id(name));
}

void Step::State::meet_as_host(const std::string& trouble) {
  if (alone() || !can_meet(attempt)) {
    warnings = merge_warnings({{node_name(), {{}, resources.warnings}}});
    rendezvous = {addresses().ranks.at(0).to_string(), held->port(), ports.origin};
    return;
  }
  // Without a port of its own, the host still has to tell its guests why.
  if (!held) held = hold_any(meeting);
  if (!held) throw Error(trouble);
  accept(lead_rendezvous(gathering(), *held, addresses(), trouble));
}

void Step::State::meet_as_guest(const std::string& trouble) {
  const auto way = way_to_host();
  if (!can_meet(attempt)) {
    if (!trouble.empty()) throw Error(trouble);
    if (!way.address) throw Error(way.why);
    warnings = merge_warnings({{node_name(), {{}, resources.warnings}}});
    rendezvous = {way.address->to_string(), ports.ports.front(), ports.origin};
    return;
  }
  accept(join_rendezvous(gathering(), meeting, way, trouble));
}

void Step::State::accept(const Outcome& outcome) {
  if (!outcome.failure.empty() && outcome.reported_elsewhere) throw Silent();
  if (!outcome.failure.empty()) throw Error(outcome.failure);
  rendezvous = outcome.rendezvous;
  exchange = outcome.exchange;
  warnings = outcome.warnings;
}

RendezvousInputs Step::State::gathering() const {
  return {.key = attempt.key,
          .layout = layout,
          .node = node,
          .deadline = Clock::now() + site.config().gather_timeout,
          .warnings = resources.warnings,
          .supervisor = caller(),
          .exchange = exchange,
          .width = site.config().rendezvous_width};
}

// On the host: where it can be met. Never empty.
NodeAddresses Step::State::addresses() const {
  auto host = node_addresses(interfaces, attempt.request.network, way_to_host().address);
  if (host.all.empty()) host.all.push_back(asio::ip::address_v4::loopback());
  if (host.ranks.empty()) host.ranks = host.all;
  return host;
}

// Where Slurm says that the node of rank 0 is. Without a supervisor to ask nothing else is known.
KnownAddress Step::State::way_to_host() const {
  const auto patience = std::chrono::seconds(attempt.channel ? 1 : 5);
  const auto& host = layout.nodes[layout.node_of_task.front()];
  try {
    return {resolve(layout.first_address.empty() ? host : layout.first_address, patience)};
  } catch (const Error& error) {
    return {std::nullopt, fmt::format("{}: {}", node_name(), error.what())};
  }
}

channel::Client Step::State::caller() const {
  return {attempt.key, channel_of(attempt, environment), node, node_count(layout)};
}

Endpoints Step::State::endpoints() {
  if (!wants_endpoints(*profile)) return {};
  const auto sources = port_sources_of(environment, attempt.request, site.config());
  const auto tasks = facts.global_ids.size();
  task_ports = hold_task_ports(task_port_candidates(sources, name, tasks, rendezvous.port), tasks,
                               node_name());
  auto text = endpoints_text(network().address, task_ports);
  if (!alone()) {
    const auto all = caller().ask("share", text, Clock::now() + site.config().gather_timeout);
    if (!all) {
      throw Error(fmt::format(
          "{}: profile {} needs the ports of all nodes, which come through the supervisor on the "
          "submit host, and it did not answer; is supervise=off?",
          node_name(), profile->name));
    }
    text = *all;
  }
  Endpoints result{endpoints_by_rank(text, layout, attempt.request.ranks), {}};
  for (const auto& port : task_ports) result.own.push_back(port.port());
  return result;
}

// Before any task starts, so that the plan comes before what the program prints.
void Step::State::show(NodePlan& plan) const {
  const bool is_first = attempt.draw == rank_0s_node && plan.node_rank == 0;
  std::optional<Drawing> drawing;
  if (is_first || attempt.draw == plan.node)
    drawing = draw(
        node_topology(
            {.site = site, .environment = environment, .node = node_name(), .scan = Scan::devices})
            .topology,
        plan);
  const auto text = to_text(plan, rendezvous, profile->name, drawing);
  const auto answer = caller().ask("plan", text, Clock::now() + site.config().gather_timeout);
  if (answer && answer->empty()) {
    plan.warnings.clear();  // the plan has told them
    return;
  }
  const auto why = answer.value_or("no answer from the supervisor on the submit host");
  if (attempt.request.dry_run) throw Error(fmt::format("cannot show the plan: {}", why));
  plan.warnings.push_back(fmt::format("cannot show the plan: {}", why));
}

NodeNetwork Step::State::network() const {
  return node_network(interfaces, attempt.request, chosen,
                      asio::ip::make_address(rendezvous.address), is_host());
}

}  // namespace muster::agent
