// srun's own arguments as getopt_long reads them, one by one. Pure.
#pragma once

#include "core/environment.hpp"
#include "core/srun/command.hpp"

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::srun {

struct Option {
  std::string name;  // in full, without dashes: also "nodes" for -N; as given if unknown
  std::optional<std::string> value;  // no value if none is given
  std::vector<std::string> words;    // as on the command line; "-lN4" becomes "-l" and "-N4"

  friend bool operator==(const Option&, const Option&) = default;
};

struct Line {
  std::vector<Option> options;  // in the order given
  std::size_t begin = 1;        // the index of the first word
  std::size_t end = 1;          // the index after the options: of "--", or of the program's word
  std::size_t program = 0;  // the index of the program's word; the number of words if there is none

  // By any name of the option, without dashes. If it occurs several times, the last one counts.
  [[nodiscard]] const Option* last(std::string_view name) const;
  [[nodiscard]] bool has(std::string_view name) const { return last(name) != nullptr; }
  [[nodiscard]] bool has_any(std::initializer_list<std::string_view> names) const;
};

// If the command does not know where its program is, the program is the first word that is neither an option
// nor the value of one of srun's options; another plugin's option then needs an equals sign before its value.
// For a heterogeneous step this is the first component.
Line read_line(const Command& command);

// One line for each component of a heterogeneous step: `srun -N1 ./a : -N2 ./b`. Indexes count from srun.
std::vector<Line> read_components(const Command& command);

// The options of all components as one line, with the indexes of the first component.
Line read_step(const Command& command);

// The variable from which srun takes an option that is not on its line; empty if none of them is set.
std::string_view chosen_variable(const Environment& environment, std::string_view name);

// An option's value as srun sees it: from the line (empty for an option without a value), or from the
// option's variable. No value if the user gave neither.
std::optional<std::string> setting(const Line& line, const Environment& environment,
                                   std::string_view name);

// The line, preceded by the options that its environment sets, which have lower precedence.
Line with_variables(Line line, const Environment& environment);

// The long options of SPANK plugins other than muster's, without dashes and values.
std::vector<std::string> options_of_plugins(const Line& line);

}  // namespace muster::srun
