// srun's own arguments as getopt_long reads them, one by one. Pure.
#pragma once

#include "launcher/supervise/srun_command.hpp"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
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
  // Of an option that has several names.
  [[nodiscard]] const SrunOption* last_of(std::initializer_list<std::string_view> names) const;
};

// Where the command does not know its program's place, the first word that is neither an option nor the
// value of one of srun's: an option of another plugin then has its value behind an equals sign.
SrunLine read_srun_line(const supervise::SrunCommand& command);

// An option of srun's own that takes no value.
bool is_flag(std::string_view name);

// --distribution=arbitrary, in each of its forms: no other nodes are possible.
bool is_arbitrary(std::string_view distribution);
bool places_tasks(const SrunLine& line);

// The number that a value begins with, as srun reads it: 2 of "2-4", 1024 of "1k".
std::optional<std::uint32_t> leading_number(std::string_view text);

}  // namespace muster::allocation
