// A variable that is there before any code runs, and that is never destroyed.
//
// Most steps of a site do not use muster. For these, Slurm loads the plugin and calls its hooks all the
// same: with `constinit`, nothing is run, allocated or locked for such a variable, neither at load nor at
// the first look. And a task's process leaves slurmstepd by exec or _exit: what it would destroy there,
// such as the connection to the agent, is not its own.
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
