// The muster program: all of muster's thinking, in a process of the user's that may fail.
// The one place where errors become a line on the terminal and an exit code.
#include "core/error.hpp"
#include "launcher/command/commands.hpp"
#include "launcher/site/installed.hpp"

#include <cstdio>
#include <exception>

#include <CLI/CLI.hpp>

namespace {

constexpr int exit_failure = 1;
constexpr int exit_usage = 2;

int report(const char* what) {
  std::fprintf(stderr, "muster: %s\n", what);
  return exit_failure;
}

int run(int argc, char** argv) {
  CLI::App app("launches distributed training on Slurm; most users need only srun --distributed");
  app.set_version_flag("--version", "muster " + muster::installed::version());
  app.require_subcommand(1);
  int exit_code = 0;
  muster::add_agent_command(app, exit_code);
  muster::add_check_command(app, exit_code);
  muster::add_exec_command(app, exit_code);
  muster::add_plan_command(app, exit_code);
  muster::add_supervise_command(app, exit_code);
  muster::add_topo_command(app, exit_code);
  if (argc <= 1) {
    std::fprintf(stderr,
                 "muster: no command given; start a training with `srun --distributed=torch "
                 "PROGRAM`, or see `muster --help`\n");
    return exit_usage;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked_for_help) {
    return app.exit(asked_for_help);
  } catch (const CLI::ParseError& error) {
    std::fprintf(stderr, "muster: %s; see `muster --help`\n", error.what());
    return exit_usage;
  }
  return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const muster::Error& error) {
    return report(error.what());
  } catch (const std::exception& error) {
    return report(error.what());
  }
}
