// srun's own options in Slurm 22.05 to 26.05: their names, values and variables. This is the only list of
// them. An option that is not listed belongs to another SPANK plugin.
#pragma once

#include "core/slurm/releases.hpp"

#include <array>
#include <span>
#include <string_view>

namespace muster::srun {

// Whether an option takes a value. An optional value must be in the same word.
enum class Form { none, optional, required };

// Whether salloc has the option, with the same meaning as for the allocation that srun makes.
enum class Salloc {
  no,
  listed,   // if salloc's help names it
  unlisted  // if srun has it, because salloc's help does not mention it
};

struct OptionInfo {
  std::string_view name;  // without dashes
  char letter = 0;        // 0: none
  Form form = Form::required;
  Salloc salloc = Salloc::no;
  std::array<std::string_view, 2> variables = {};  // from which srun also reads it; the second wins
  int since = slurm::oldest_release;               // the releases of srun that have it
  int until = slurm::newest_release;
  std::string_view same_as = {};  // the option for which this is another name
};

// The canonical name of an option.
inline std::string_view own_name(const OptionInfo& info) {
  return info.same_as.empty() ? info.name : info.same_as;
}

// Ordered by name.
std::span<const OptionInfo> all_options();

// By its full name; nullptr if srun has no such option. For a synonym, returns the synonym's own row.
const OptionInfo* find_option(std::string_view name);

// By its letter.
const OptionInfo* find_option(char letter);

// By its name or by an abbreviation that getopt_long accepts: one that no other option begins with. If
// releases differ, the oldest one that accepts it decides, because newer ones refuse it.
const OptionInfo* complete_option(std::string_view name);

// Whether some option of srun begins with these letters.
bool begins_option(std::string_view name);

}  // namespace muster::srun
