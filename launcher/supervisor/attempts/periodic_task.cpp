#include "launcher/supervisor/attempts/periodic_task.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace muster::attempts {
namespace {

template <class Time>
Time sooner(const Time& one, const Time& other) {
  if (!one || !other) return one ? one : other;
  return std::min(*one, *other);
}

}  // namespace

PeriodicTask combine(PeriodicTask one, PeriodicTask other) {
  const auto tasks =
      std::make_shared<std::pair<PeriodicTask, PeriodicTask>>(std::move(one), std::move(other));
  return {.next = [tasks] { return sooner(tasks->first.next(), tasks->second.next()); },
          .act =
              [tasks] {
                tasks->first.act();
                tasks->second.act();
              }};
}

slurm::SrunHooks with_task(slurm::SrunHooks hooks, const PeriodicTask& task) {
  auto next = std::move(hooks.next);
  auto act = std::move(hooks.act);
  hooks.next = [next = std::move(next), &task] { return sooner(next(), task.next()); };
  hooks.act = [act = std::move(act), &task](pid_t srun) {
    act(srun);
    task.act();
  };
  return hooks;
}

}  // namespace muster::attempts
