// How the shim runs the muster program in srun, sbatch and salloc.
#pragma once

#include "spank/plugstack.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace muster::spank {

inline constexpr std::chrono::seconds check_timeout{10};

// The command muster VERB with the option's value and the settings of the plugin's line in
// plugstack.conf.
std::vector<std::string> muster_command(const Plugstack& line, const char* verb,
                                        const std::string& value);

// Adds the command line of this process: `name` and the arguments after it, and the position of the user's
// program among them, if known.
void add_arguments(std::vector<std::string>& command, const std::string& name,
                   const std::vector<std::string>& arguments, std::size_t program_index);

// The reason why the program cannot run at all; empty if it can.
std::string unusable(const Plugstack& line);

// The value of one environment variable of this process.
std::optional<std::string> variable(const char* name);

// --distributed=help: prints the keys and profiles and ends this program.
[[noreturn]] void show_help(const Plugstack& line);

}  // namespace muster::spank
