#include "launcher/agent/context.hpp"

#include "core/error.hpp"
#include "core/request/policy_check.hpp"
#include "core/request/site_values.hpp"
#include "core/view/choice.hpp"
#include "launcher/agent/job_by_slurmctld.hpp"
#include "launcher/agent/node/slurm_binding.hpp"
#include "launcher/agent/node/variable_policy.hpp"
#include "launcher/agent/slurm_command.hpp"
#include "launcher/channel/step/facts.hpp"
#include "launcher/site/job_facts.hpp"
#include "wire/variables.hpp"

#include <optional>
#include <utility>

#include <fmt/format.h>

namespace muster::agent {
namespace {

// If this node's file cannot be used, returns the built-in values, because this node must still tell the
// others.
site::Site read_site(const site::SiteOptions& options, const Environment& environment,
                     std::string& objection) {
  try {
    return {options, environment, false};
  } catch (const Error& error) {
    objection = error.what();
  }
  return {{.config = {}}, environment, false};
}

SignedJob reported_job(const site::Site& site, const wire::StepFacts& facts,
                       const Environment& environment) {
  std::optional<SignedJob> known;
  try {
    known = job_by_slurmctld(facts.job_id, environment,
                             slurm_owners(site.trust_of_files(), facts.slurmstepd),
                             site.config().gather_timeout / 2);
  } catch (const Error& error) {
    throw Error(
        fmt::format("the site's policy depends on the job's partition or account, which this node "
                    "cannot ask for: {}; tell your administrator",
                    error.what()));
  }
  if (known) return *known;
  throw Error(
      "the site's policy depends on the job's partition or account, and slurmctld did not "
      "report them; try again, or tell your administrator");
}

// Every node asks slurmctld itself, because anyone who holds the step's key, as its user does, could pretend
// to a node to be any other node, or send a request without a key to keep the nodes from meeting.
void settle(const site::Site& site, const wire::StepFacts& facts, const Environment& environment,
            const layout::Layout& layout) {
  auto job = facts_of_node(site::facts_of_job(environment, layout.first_features));
  job.step_nodes = node_count(layout);
  if (!facts.without_slurm && needs_signed_job(site.config().rules)) {
    auto known = reported_job(site, facts, environment);
    job.partition = std::move(known.partition);
    job.account = std::move(known.account);
  }
  site.settle(job);
}

void check(const request::Request& request, const site::Config& site,
           const Environment& environment, const std::string& directory, std::string& objection) {
  try {
    check_policy(request, site);
    node::check_variables(site.policy.variables, environment, directory);
  } catch (const Error& error) {
    objection = error.what();
  }
}

}  // namespace

bool StepContext::can_meet_others() const {
  return !is_alone() && can_meet(attempt);
}

bool StepContext::has_chosen_port() const {
  return ports.origin != Origin::rendezvous && ports.origin != Origin::slurm;
}

channel::Client StepContext::supervisor() const {
  return {attempt.key, channel_of(attempt, environment), node, node_count(layout)};
}

std::chrono::steady_clock::time_point StepContext::deadline() const {
  return std::chrono::steady_clock::now() + site.config().gather_timeout;
}

StepContext read_context(wire::StepFacts facts, const site::SiteOptions& options) {
  const auto begun = StepContext::Clock::now();
  auto environment = step::environment_of(facts);
  std::string objection;
  auto site = read_site(options, environment, objection);
  auto layout = step::layout_of(facts, environment);
  const auto node = step::node_of(facts, layout, step::own_names(environment));
  try {
    settle(site, facts, environment, layout);
  } catch (const Error& error) {
    objection = error.what();
  }
  auto attempt = step::attempt_of(facts, site);
  attempt.request = with_site_values(std::move(attempt.request), site.config());
  if (objection.empty())
    check(attempt.request, site.config(), environment, facts.working_directory, objection);
  if (objection.empty() && attempt.request.logs) {
    objection = view::objection(attempt.request.view,
                                static_cast<std::uint32_t>(layout.node_of_task.size()));
  }
  auto name = step::step_name_of(facts, environment, layout, attempt.number);
  attempt.request =
      step::with_sites_network(std::move(attempt.request), site.config(), environment, layout);
  environment = node::with_sruns_line(std::move(environment), attempt.hint, attempt.chose_cpu_bind);
  attempt.request =
      node::with_slurms_threads(std::move(attempt.request), site.config(), environment);
  auto sources = step::port_sources_of(environment, attempt.request, site.config());
  auto ports = port_candidates(sources, name);
  return {.facts = std::move(facts),
          .environment = std::move(environment),
          .site = std::move(site),
          .attempt = std::move(attempt),
          .layout = std::move(layout),
          .node = node,
          .name = std::move(name),
          .port_sources = std::move(sources),
          .ports = std::move(ports),
          .objection = std::move(objection),
          .begun = begun};
}

}  // namespace muster::agent
