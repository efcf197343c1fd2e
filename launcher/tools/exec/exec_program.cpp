#include "launcher/tools/exec/exec_program.hpp"

#include "launcher/os/executable.hpp"
#include "launcher/os/output.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>
#include <unistd.h>

namespace muster::exec {

wire::NodePlan part_of(const wire::NodePlan& plan, std::size_t local_id) {
  wire::NodePlan part;
  part.set = plan.set;
  part.unset = plan.unset;
  part.tasks = {plan.tasks.at(local_id)};
  part.dry_run = plan.dry_run;
  return part;
}

confine::Confined apply(const wire::NodePlan& part) {
  // Single-threaded, except for a resolver that has been abandoned.
  for (const auto& name : part.unset) unsetenv(name.c_str());  // NOLINT(concurrency-mt-unsafe)
  for (const auto* const list : {&part.set, &part.tasks.front().set}) {
    for (const auto& [name, value] : *list) {
      setenv(name.c_str(), value.c_str(), 1);  // NOLINT(concurrency-mt-unsafe)
    }
  }
  return confine::confine(part.tasks.front());
}

int become(const std::vector<std::string>& command) {
  const auto words = os::exec_pointers(command);
  execvp(command.front().c_str(), words.data());
  const int error = errno;
  os::say(os::Severity::error, fmt::format("cannot start {}: {}; check that the path is right "
                                           "and the file is executable",
                                           command.front(), std::strerror(error)));
  return exit_no_program;
}

}  // namespace muster::exec
