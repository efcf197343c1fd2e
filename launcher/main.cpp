// The muster program: what users type, and what srun is replaced with.
#include "launcher/command/command_line.hpp"
#include "launcher/command/commands.hpp"
#include "launcher/command/usage_error.hpp"
#include "launcher/program.hpp"
#include "launcher/site/installed.hpp"

#include <string>
#include <vector>

namespace {

int run(const std::vector<std::string>& words) {
  muster::command::CommandLine line(
      "Launch distributed training on Slurm; most users need only srun --distributed",
      "muster " + muster::site::installed_version());
  line.add(muster::command::check_command());
  line.add(muster::command::check_node_command());
  line.add(muster::command::config_command());
  line.add(muster::command::complete_command(line));
  line.add(muster::command::doctor_command());
  line.add(muster::command::doctor_node_command());
  line.add(muster::command::dump_command());
  line.add(muster::command::dump_node_command());
  line.add(muster::command::exec_command());
  line.add(muster::command::plan_command());
  line.add(muster::command::preflight_node_command());
  line.add(muster::command::report_command());
  line.add(muster::command::run_command());
  line.add(muster::command::status_command());
  line.add(muster::command::metrics_command());
  line.add(muster::command::topo_command());
  line.add(muster::command::successor_command());
  line.add(muster::command::supervise_command());
  if (words.size() <= 1) {
    throw muster::command::UsageError(
        "no command given; start a run with `srun --distributed=torch PROGRAM`, or see `muster "
        "--help`");
  }
  return line.run(words);
}

}  // namespace

int main(int argc, char** argv) {
  return muster::run_program(argc, argv, run);
}
