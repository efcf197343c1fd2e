#include "launcher/supervise/srun_command.hpp"

#include <algorithm>

namespace muster::supervise {

std::vector<std::string> SrunCommand::options() const {
  const auto end = program == 0 ? words.size() : std::min(program, words.size());
  return {words.begin() + 1,
          words.begin() + static_cast<std::ptrdiff_t>(std::max<std::size_t>(end, 1))};
}

}  // namespace muster::supervise
