// The commands of the muster program, one file each. A command adds itself to the command line and
// leaves its exit code behind when it was the one asked for.
#pragma once

namespace CLI {
class App;
}

namespace muster {

void add_agent_command(CLI::App& app, int& exit_code);
void add_check_command(CLI::App& app, int& exit_code);
void add_exec_command(CLI::App& app, int& exit_code);
void add_plan_command(CLI::App& app, int& exit_code);
void add_supervise_command(CLI::App& app, int& exit_code);
void add_topo_command(CLI::App& app, int& exit_code);

}  // namespace muster
