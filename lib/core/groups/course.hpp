// What a run of several groups does when one of them has ended. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace muster::groups {

enum class State : std::uint8_t {
  running,
  done,     // with exit code 0
  failed,   // its supervisor has given up
  waiting,  // likewise, for want of nodes: it starts again when there are enough
  stopped,  // because the run is to end
};

struct Group {
  State state = State::running;
  int code = 0;  // with which its supervisor exited

  friend bool operator==(const Group&, const Group&) = default;
};

// What was going on when a group's supervisor exited.
struct Circumstances {
  bool begins_again = false;  // all groups are being ended, to start again
  bool stopped = false;       // the run is to end
  bool short_of_nodes = false;
};

// A program that was asked to stop may exit with any code, even 0.
State state_after(int code, const Circumstances& circumstances);

enum class Next : std::uint8_t {
  wait,  // for what the groups do
  stop,  // end all that run: too few groups are left
  end,   // no group runs, and none will
};

// `min`: of groups=MIN:MAX. `stopped`: the run is to end, because its user or Slurm wants it so.
Next next_of(std::span<const Group> groups, std::uint32_t min, bool stopped);

// 0 if enough groups are done, otherwise that of the group that failed first, whose number `first_failed` is.
int exit_code(std::span<const Group> groups, std::uint32_t min,
              std::optional<std::uint32_t> first_failed);

}  // namespace muster::groups
