#include "core/groups/course.hpp"

#include <algorithm>
#include <cstdlib>

namespace muster::groups {
namespace {

std::ptrdiff_t count(std::span<const Group> groups, State state) {
  return std::ranges::count(groups, state, &Group::state);
}

}  // namespace

State state_after(int code, const Circumstances& circumstances) {
  if (circumstances.begins_again) return State::waiting;
  if (code == EXIT_SUCCESS) return State::done;
  if (circumstances.stopped) return State::stopped;
  return circumstances.short_of_nodes ? State::waiting : State::failed;
}

Next next_of(std::span<const Group> groups, std::uint32_t min, bool stopped) {
  const auto running = count(groups, State::running);
  // A group that waits cannot train alone.
  if (running == 0) return Next::end;
  if (stopped) return Next::wait;
  const bool enough = running + count(groups, State::done) >= static_cast<std::ptrdiff_t>(min);
  return enough ? Next::wait : Next::stop;
}

int exit_code(std::span<const Group> groups, std::uint32_t min,
              std::optional<std::uint32_t> first_failed) {
  if (count(groups, State::done) >= static_cast<std::ptrdiff_t>(min)) return EXIT_SUCCESS;
  if (!first_failed || *first_failed >= groups.size()) return EXIT_FAILURE;
  const int code = groups[*first_failed].code;
  return code == EXIT_SUCCESS ? EXIT_FAILURE : code;
}

}  // namespace muster::groups
