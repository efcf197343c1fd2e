// The muster program: all of muster's logic, in an ordinary user process that may fail. Only here
// do errors become a line on the terminal and an exit code.
#include "core/text/quote.hpp"
#include "launcher/command/command_line.hpp"
#include "launcher/command/commands.hpp"
#include "launcher/site/installed.hpp"

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

namespace {

constexpr int exit_failure = 1;
constexpr int exit_usage = 2;

int report(const char* what) {
  // It may quote any text of a user or a file: keep one line, without terminal control characters.
  std::fprintf(stderr, "muster: %s\n", muster::text::printable_path(what).c_str());
  return exit_failure;
}

int run(const std::vector<std::string>& words) {
  muster::command::CommandLine line(
      "launches distributed training on Slurm; most users need only srun --distributed",
      "muster " + muster::site::installed_version());
  line.add(muster::command::check_command());
  line.add(muster::command::exec_command());
  line.add(muster::command::plan_command());
  line.add(muster::command::topo_command());
  line.add(muster::command::agent_command());
  line.add(muster::command::supervise_command());
  if (words.size() <= 1) {
    throw muster::command::UsageError(
        "no command given; start a training job with `srun --distributed=torch PROGRAM`, or see "
        "`muster --help`");
  }
  return line.run(words);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run({argv, argv + argc});
  } catch (const muster::command::UsageError& error) {
    report(error.what());
    return exit_usage;
  } catch (const std::exception& error) {
    return report(error.what());
  }
}
