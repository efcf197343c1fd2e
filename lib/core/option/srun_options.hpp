// The long options of srun itself, in any release that muster supports. An option that is not among
// them belongs to another SPANK plugin.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace muster::option {

// `name` without dashes and value; getopt_long takes an abbreviation too.
bool is_srun_option(std::string_view name);

// The same without abbreviations.
bool is_exact_srun_option(std::string_view name);

// The whole name, of which getopt_long takes an abbreviation; empty where srun has no such option. Of
// an ambiguous abbreviation, which srun refuses, any of them.
std::string_view full_srun_option(std::string_view name);

// The given long options, without dashes and values, that belong to SPANK plugins other than
// muster.so. `options` are srun's arguments in front of the program.
std::vector<std::string> options_of_plugins(std::span<const std::string> options);

}  // namespace muster::option
