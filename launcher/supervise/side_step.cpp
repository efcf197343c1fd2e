#include "launcher/supervise/side_step.hpp"

#include "core/layout/hostlist.hpp"
#include "launcher/os/slurm_environment.hpp"

#include <fmt/format.h>

namespace muster::supervise {

std::vector<std::string> side_step_words(const SideStep& step, const Environment& environment) {
  std::vector<std::string> words{"env"};
  for (const auto& [name, value] : environment) {
    if (os::shapes_a_step(name)) words.insert(words.end(), {"-u", name});
  }
  words.insert(
      words.end(),
      {step.srun, "--jobid=" + step.job, "--overlap", fmt::format("--nodes={}", step.nodes.size()),
       fmt::format("--ntasks={}", step.nodes.size()), "--ntasks-per-node=1",
       "--nodelist=" + layout::compress_hostlist(step.nodes), "--input=none", "--mpi=none",
       "--cpu-bind=none", "--kill-on-bad-exit=0", "--quiet", "--job-name=" + step.name});
  return words;
}

}  // namespace muster::supervise
