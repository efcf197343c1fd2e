#include "launcher/agent/cancel_step.hpp"

#include "launcher/os/bounded_child.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <vector>

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace muster::agent {
namespace {

std::string value(const Environment& environment, const char* name, const char* otherwise) {
  const auto found = environment.find(name);
  return found == environment.end() ? otherwise : found->second;
}

std::vector<std::string> small_environment(const Environment& environment) {
  constexpr const char* usual = "/usr/local/bin:/usr/bin:/bin";
  std::vector<std::string> small{
      fmt::format("PATH={}:{}", value(environment, "PATH", usual), usual), "LC_ALL=C.UTF-8"};
  for (const char* const name : {"SLURM_CONF", "SLURM_JWT"})
    if (environment.contains(name))
      small.push_back(fmt::format("{}={}", name, environment.at(name)));
  return small;
}

// Runs in the bounded child, and ends with it.
bool runs_well(const std::string& step, std::vector<std::string> variables) {
  std::vector<char*> environment;
  for (auto& variable : variables) environment.push_back(variable.data());
  environment.push_back(nullptr);
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    clearenv();
    environ = environment.data();
    execlp("scancel", "scancel", "--quiet", step.c_str(), nullptr);
    _exit(1);
  }
  int status = 0;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

bool cancel_step(const std::string& step, const Environment& environment,
                 std::chrono::milliseconds timeout) {
  const auto done = os::answer_of_child(
      [&] { return runs_well(step, small_environment(environment)) ? "done" : ""; }, timeout);
  return done == "done";
}

}  // namespace muster::agent
