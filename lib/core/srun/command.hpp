// srun's command line, as the supervisor was given it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace muster::srun {

struct Command {
  std::vector<std::string> words;  // srun first
  std::size_t program = 0;         // its index in words; 0 if unknown

  // srun's own arguments; if the program's index is unknown, all behind srun.
  [[nodiscard]] std::vector<std::string> options() const;
};

}  // namespace muster::srun
