// muster-agent: one per node and step, started by the shim as the user. Reads the step's facts from
// its pipe, answers with the plan, holds the rendezvous port, and ends with the last task.
#include "core/error.hpp"
#include "launcher/agent/serve.hpp"
#include "launcher/command/commands.hpp"
#include "launcher/command/site_options.hpp"
#include "launcher/site/site.hpp"

#include <memory>

#include <sys/stat.h>

namespace muster::command {
namespace {

constexpr int pipe_socket = 3;

bool is_socket(int fd) {
  struct stat status {};
  return fstat(fd, &status) == 0 && S_ISSOCK(status.st_mode);
}

int run_agent(const site::SiteOptions& site) {
  if (!is_socket(pipe_socket)) {
    throw Error(
        "muster-agent is started by muster.so on each node, not by hand; "
        "see `srun --distributed=help`");
  }
  return agent::serve(pipe_socket, site);
}

}  // namespace

Command agent_command() {
  auto site = std::make_shared<site::SiteOptions>();
  Command command("agent", "plan one node of a step (started by muster.so)");
  add_site_options(command, *site);
  return command.internal().action([site] { return run_agent(*site); });
}

}  // namespace muster::command
