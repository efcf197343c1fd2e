#include "launcher/agent/watches.hpp"

#include "launcher/agent/context.hpp"
#include "launcher/agent/planning.hpp"
#include "launcher/agent/port/lent_ids.hpp"
#include "launcher/channel/step/facts.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <unistd.h>

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

// Returns the earlier of the two.
Time sooner(Time one, Time other) {
  if (!one || !other) return one ? one : other;
  return std::min(*one, *other);
}

// A listener where no task will connect does no harm to the step.
std::optional<PortGuard> guard(const StepContext& context, const PlannedNode& node) {
  std::vector<rendezvous::Port> ports;
  if (node.ports.rendezvous && node.tasks_know_port) {
    ports.push_back(node.ports.rendezvous->port());
  }
  for (const auto& held : node.task_ports) ports.push_back(held.port());
  if (ports.empty() || context.request().dry_run) return std::nullopt;
  const auto user = geteuid();
  port::ListenerWatch watch(std::move(ports), user,
                            [user](uid_t id) { return port::is_lent(user, id); });
  return PortGuard(std::move(watch), context.node_name(), step::run_id(context.name),
                   context.supervisor());
}

}  // namespace

Watches::Watches(const StepContext& context, const PlannedNode& node)
    : ports_(guard(context, node)) {
  const auto supervisor = context.supervisor();
  if (!supervisor) return;
  const auto step = step::run_id(context.name);
  environment_.emplace(task_watch::EnvironmentChanges(node.plan, node.rendezvous), step,
                       supervisor);
  if (!context.request().verbose) return;
  affinity_.emplace(task_watch::AffinityChanges(node.plan, context.facts.arguments), step,
                    supervisor);
}

void Watches::started(const wire::TasksStarted& tasks) {
  if (environment_) environment_->started(tasks);
}

void Watches::unbound(const wire::TaskUnbound& task) {
  if (affinity_) affinity_->forget(task.local_id);
}

Time Watches::next() const {
  return sooner(next_of(ports_), sooner(next_of(environment_), next_of(affinity_)));
}

void Watches::look() {
  const auto now = Clock::now();
  look_if_due(ports_, now);
  look_if_due(environment_, now);
  look_if_due(affinity_, now);
}

}  // namespace muster::agent
