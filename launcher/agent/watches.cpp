#include "launcher/agent/watches.hpp"

#include "launcher/step/facts.hpp"

#include <algorithm>

namespace muster::agent {
namespace {

using Time = std::optional<Watches::Clock::time_point>;

template <class Watch>
Time next_of(const std::optional<Watch>& watch) {
  return watch ? watch->next() : std::nullopt;
}

template <class Watch>
void look_if_due(std::optional<Watch>& watch, Watches::Clock::time_point now) {
  const auto next = next_of(watch);
  if (next && *next <= now) watch->look();
}

}  // namespace

Watches::Watches(const StepContext& context, const PlannedNode& node) {
  const auto supervisor = context.supervisor();
  if (!supervisor) return;
  const auto step = step::run_id(context.name);
  environment_.emplace(environment_watch::EnvironmentChanges(node.plan, node.rendezvous), step,
                       supervisor);
  if (!context.request().verbose) return;
  affinity_.emplace(affinity_watch::AffinityChanges(node.plan, context.facts.arguments), step,
                    supervisor);
}

void Watches::started(const wire::TaskStarted& task) {
  if (environment_) environment_->started(task);
}

void Watches::unbound(const wire::TaskUnbound& task) {
  if (affinity_) affinity_->forget(task.local_id);
}

Time Watches::next() const {
  const auto affinity = next_of(affinity_);
  const auto environment = next_of(environment_);
  if (affinity && environment) return std::min(*affinity, *environment);
  return affinity ? affinity : environment;
}

void Watches::look() {
  const auto now = Clock::now();
  look_if_due(affinity_, now);
  look_if_due(environment_, now);
}

}  // namespace muster::agent
