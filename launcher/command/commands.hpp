// The commands of the muster program, one file each.
#pragma once

#include "launcher/command/command.hpp"

#include <cstddef>

namespace muster::command {

class CommandLine;

inline constexpr std::chrono::seconds max_time{3600};  // for --seconds, in every command

Command agent_command();
Command check_command();
Command check_node_command();
Command config_command();
// Completes the words of `line`, which must outlive the command.
Command complete_command(const CommandLine& line);
Command doctor_command();
Command doctor_node_command();
Command dump_command();
Command dump_node_command();
Command exec_command();
Command plan_command();
Command preflight_node_command();
Command report_command();
Command run_command();
Command status_command();
Command metrics_command();
Command successor_command();
Command supervise_command();
Command topo_command();

}  // namespace muster::command
