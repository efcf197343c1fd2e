// srun's command line, as the supervisor was given it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace muster::supervise {

struct SrunCommand {
  std::vector<std::string> words;  // srun first
  std::size_t program = 0;         // its place in words; 0 when unknown

  // srun's own words; where the program's place is unknown, all behind srun.
  [[nodiscard]] std::vector<std::string> options() const;
};

}  // namespace muster::supervise
