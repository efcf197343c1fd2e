// srun's own arguments as getopt_long reads them, one by one. Pure.
#pragma once

#include "launcher/supervise/srun_command.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::allocation {

struct SrunOption {
  std::string name;                  // the long one, without dashes: "nodes" for -N, too
  std::optional<std::string> value;  // nothing where none is given
  std::vector<std::string> words;    // as on the command line; "-lN4" becomes "-l" and "-N4"

  friend bool operator==(const SrunOption&, const SrunOption&) = default;
};

struct SrunLine {
  std::vector<SrunOption> options;  // in their order
  std::size_t end = 1;              // the index behind them: of "--", or of the program's word
  std::size_t program = 0;          // the index of the program's word; all words if there is none

  // The last of several counts.
  [[nodiscard]] const SrunOption* last(std::string_view name) const;
};

// Where the command does not know its program's place, the first word that is neither an option nor the
// value of one of srun's: an option of another plugin then has its value behind an equals sign.
SrunLine read_srun_line(const supervise::SrunCommand& command);

}  // namespace muster::allocation
