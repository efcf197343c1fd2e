#include "core/srun/ctrl_c.hpp"

#include "core/srun/line.hpp"

#include <utility>

namespace muster::srun {

bool CtrlC::ends_step(Time typed) {
  // srun compares whole seconds of the clock, and allows a difference of one.
  constexpr std::chrono::seconds longest{2};
  const auto last = std::exchange(last_, typed);
  return first_ends_ || (last && typed - *last < longest);
}

bool first_ctrl_c_ends(const Environment& environment, const Command& command) {
  const auto line = read_step(command);
  return line.has("quit-on-interrupt") || setting(line, environment, "disable-status").has_value();
}

}  // namespace muster::srun
