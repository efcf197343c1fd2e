// How the shim runs the muster program, from srun, sbatch and salloc alike.
#pragma once

#include "spank/plugstack.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace muster::spank {

inline constexpr std::chrono::seconds check_timeout{10};

// muster VERB with the option's value, and what the plugin's line of plugstack.conf says.
std::vector<std::string> muster_command(const Plugstack& line, const char* verb,
                                        const std::string& value);

// Why the program cannot be run at all; empty when it can.
std::string unusable(const Plugstack& line);

// A variable of this process.
std::optional<std::string> variable(const char* name);

// --distributed=help: prints the keys and profiles and ends this program.
[[noreturn]] void show_help(const Plugstack& line);

}  // namespace muster::spank
