#include "launcher/agent/cancel_step.hpp"

#include "launcher/agent/slurm_command.hpp"
#include "launcher/os/bounded_child.hpp"
#include "launcher/os/executable.hpp"

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <vector>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace muster::agent {
namespace {

// Runs in the bounded child process and ends with it.
bool runs_well(const std::filesystem::path& scancel, const std::string& step,
               std::vector<std::string> variables) {
  auto environment = os::exec_pointers(variables);
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    clearenv();
    environ = environment.data();
    execl(scancel.c_str(), "scancel", "--quiet", step.c_str(), nullptr);
    _exit(1);
  }
  int status = 0;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

bool cancel_step(const std::string& step, const Environment& environment, const SlurmOwners& owners,
                 std::chrono::milliseconds timeout) {
  const auto scancel = find_slurm_command("scancel", environment, owners).path;
  if (scancel.empty()) return false;
  const auto done = os::answer_of_child(
      [&] {
        return runs_well(scancel, step, slurm_environment(environment, owners)) ? "done" : "";
      },
      timeout);
  return done == "done";
}

}  // namespace muster::agent
