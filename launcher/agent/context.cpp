#include "launcher/agent/context.hpp"

#include "core/error.hpp"
#include "core/request/policy_check.hpp"
#include "launcher/node/slurm_binding.hpp"
#include "launcher/step/facts.hpp"

#include <utility>

namespace muster::agent {
namespace {

std::string objection_to(const request::Request& request, const site::Config& site) {
  try {
    check_policy(request, site);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace

bool StepContext::can_meet_others() const {
  return !is_alone() && can_meet(attempt);
}

channel::Client StepContext::supervisor() const {
  return {attempt.key, channel_of(attempt, environment), node, node_count(layout)};
}

std::chrono::steady_clock::time_point StepContext::deadline() const {
  return std::chrono::steady_clock::now() + site.config().gather_timeout;
}

StepContext read_context(wire::StepFacts facts, const site::SiteOptions& options) {
  auto environment = step::environment_of(facts);
  site::Site site(options, environment, false);
  auto attempt = step::attempt_of(facts, site);
  auto objection = objection_to(attempt.request, site.config());
  auto layout = step::layout_of(facts, environment);
  const auto node = step::node_of(facts, layout, step::own_names(environment));
  auto name = step::step_name_of(facts, environment, layout, attempt.number);
  attempt.request =
      step::with_sites_network(std::move(attempt.request), site.config(), environment, layout);
  if (!attempt.hint.empty()) environment["SLURM_HINT"] = attempt.hint;
  attempt.request = node::with_slurms_hint(std::move(attempt.request), site.config(), environment);
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
          .objection = std::move(objection)};
}

}  // namespace muster::agent
