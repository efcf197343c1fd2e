// `muster exec -- PROGRAM`: does inside each task what the plugin would do, for sites without it. The tasks
// of a node meet, one of them makes the plan for all, and each one becomes its program.
#include "launcher/command/commands.hpp"
#include "launcher/command/help.hpp"
#include "launcher/command/site_options.hpp"
#include "launcher/slurm/own_environment.hpp"
#include "launcher/tools/exec/task.hpp"

#include <cstdio>
#include <memory>

namespace muster::command {
namespace {

int run_exec(const exec::TaskOptions& options) {
  const auto environment = slurm::own_environment();
  exec::Task task(options, environment);
  return task.run(show_option_help);
}

}  // namespace

Command exec_command() {
  auto options = std::make_shared<exec::TaskOptions>();
  // A user who can build muster could evade the site's policy anyway, so the user's files are trusted.
  options->site.trust_user = true;
  Command command(
      "exec",
      "set up this task as the plugin would, then run PROGRAM: srun muster exec -- PROGRAM");
  add_typed_site_options(command, options->site);
  command
      .value_or_nothing("--distributed", options->option,
                        "profile and keys, as for srun (default: MUSTER_DISTRIBUTED)")
      .needs_to_hand_on("command", options->command, "after --: the program and its arguments");
  return command.action([options] { return run_exec(*options); });
}

}  // namespace muster::command
