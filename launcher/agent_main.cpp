// The muster-agent program: one node of a step, started by muster.so.
//
// It is not a command of muster because its file must not be readable (mode 0711). The kernel then lets no
// process of the same user trace the agent, take its descriptors or read its memory, from its first
// instruction on. Such a process could otherwise keep code running inside the agent, which Slurm does not
// kill with the job's tasks.
#include "launcher/command/command_line.hpp"
#include "launcher/command/commands.hpp"
#include "launcher/program.hpp"
#include "launcher/site/installed.hpp"

#include <string>
#include <vector>

#include <sys/prctl.h>

namespace {

int run(const std::vector<std::string>& words) {
  muster::command::CommandLine line("plans one node of a step; started by muster.so",
                                    "muster-agent " + muster::site::installed_version());
  line.add(muster::command::agent_command());
  return line.run(words);
}

}  // namespace

int main(int argc, char** argv) {
  // Applies also if the file is readable, as in a build tree, or if fs.suid_dumpable is 1.
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  return muster::run_program(argc, argv, run);
}
