// A variable that exists before any code runs and is never destroyed.
//
// Most of a site's steps do not use muster, but Slurm loads the plugin and calls its hooks for them as well:
// with `constinit`, nothing runs, allocates or locks for such a variable, neither at load time nor at first
// use. Besides, a task's process leaves slurmstepd through exec or _exit, and must not destroy what it does
// not own, such as the connection to the agent.
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
