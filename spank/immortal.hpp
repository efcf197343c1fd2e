// A variable that exists before any code runs and is never destroyed.
//
// Most steps of a site do not use muster, but Slurm loads the plugin and calls its hooks for them as well:
// with `constinit`, nothing runs, allocates or locks for such a variable, neither at load time nor at first
// use. Also, a task's process leaves slurmstepd by exec or _exit: it must not destroy what it does not own,
// such as the connection to the agent.
#pragma once

namespace muster::spank {

template <typename T>
union Immortal {
  constexpr Immortal() noexcept : value{} {}
  Immortal(const Immortal&) = delete;
  Immortal& operator=(const Immortal&) = delete;
  ~Immortal() {}  // NOLINT(modernize-use-equals-default): that would be deleted

  T value;
};

}  // namespace muster::spank
