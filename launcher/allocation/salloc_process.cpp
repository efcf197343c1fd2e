#include "launcher/allocation/salloc_process.hpp"

#include <csignal>
#include <fstream>
#include <optional>

#include <fmt/format.h>
#include <unistd.h>

namespace muster::allocation {
namespace {

// The first child of a process's main thread.
std::optional<pid_t> child_of(pid_t process) {
  std::ifstream file(fmt::format("/proc/{0}/task/{0}/children", process));
  pid_t child = 0;
  if (file >> child) return child;
  return std::nullopt;
}

// `env`, which starts salloc without its own variables, becomes salloc.
std::optional<pid_t> inner_supervisor() {
  const auto salloc = child_of(getpid());
  return salloc ? child_of(*salloc) : std::nullopt;
}

}  // namespace

supervise::Ended run_salloc(const std::vector<std::string>& command) {
  supervise::SrunHooks hooks;
  hooks.takes = [](int signal) {
    const auto supervisor = inner_supervisor();
    return supervisor && kill(*supervisor, signal) == 0;
  };
  return supervise::run_srun(command, hooks);
}

}  // namespace muster::allocation
