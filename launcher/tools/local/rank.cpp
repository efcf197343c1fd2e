#include "launcher/tools/local/rank.hpp"

#include "confine/redirect.hpp"
#include "launcher/os/output.hpp"
#include "launcher/tools/exec/exec_program.hpp"
#include "launcher/tools/local/agent.hpp"
#include "wire/variables.hpp"

#include <cerrno>
#include <cstdlib>

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::local {
namespace {

// Waits until all ranks have their processes and the agent knows them.
void await_gate(int gate) {
  char word = 0;
  while (read(gate, &word, 1) < 0 && errno == EINTR) {
  }
}

// Removes variables that only muster's own processes need.
void forget_own_variables() {
  for (const auto* const name : {wire::request_variable, wire::step_variable,
                                 wire::supervisor_variable, wire::step_socket_variable}) {
    unsetenv(name);
  }
  setenv(wire::task_variable, fmt::to_string(getpid()).c_str(), 1);
}

}  // namespace

void become_rank(const RankStart& start) {
  // As under torchrun: a signal from the terminal reaches the ranks only once, through muster.
  setsid();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != start.starter) _exit(EXIT_FAILURE);
  await_gate(start.gate);
  if (start.plan.dry_run) _exit(EXIT_SUCCESS);
  forget_own_variables();
  const auto& task = start.plan.tasks[start.local_id];
  if (!start.plan.directory.empty()) {
    mkdir(fmt::format("{}/{}", start.plan.directory, start.local_id).c_str(), S_IRWXU);
  }
  const auto done = exec::apply(exec::part_of(start.plan, start.local_id));
  for (const auto& remark : done.remarks) {
    os::say(done.may_start ? os::Severity::warning : os::Severity::error,
            fmt::format("{}: {}", task.who, remark));
  }
  if (!done.bound) start.agent.tell(wire::TaskUnbound{static_cast<std::uint32_t>(start.local_id)});
  if (!done.may_start) _exit(EXIT_FAILURE);
  if (const auto why = confine::redirect_output(task); !why.empty()) {
    os::say(os::Severity::error, fmt::format("{} {}", task.who, why));
    _exit(EXIT_FAILURE);
  }
  sigprocmask(SIG_SETMASK, &start.mask, nullptr);
  _exit(exec::become(start.command));
}

}  // namespace muster::local
