// srun's command line, as given to the supervisor.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace muster::srun {

struct Command {
  std::vector<std::string> words;  // srun first
  std::size_t program = 0;         // its index in words; 0 if unknown
};

}  // namespace muster::srun
