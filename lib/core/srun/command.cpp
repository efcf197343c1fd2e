#include "core/srun/command.hpp"

#include <algorithm>

namespace muster::srun {

std::vector<std::string> Command::options() const {
  const auto end = program == 0 ? words.size() : std::min(program, words.size());
  return {words.begin() + 1,
          words.begin() + static_cast<std::ptrdiff_t>(std::max<std::size_t>(end, 1))};
}

}  // namespace muster::srun
