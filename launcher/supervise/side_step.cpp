#include "launcher/supervise/side_step.hpp"

#include "core/layout/hostlist.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

namespace muster::supervise {
namespace {

// srun and other plugins take options from most of Slurm's; these say which Slurm it is.
bool is_kept(std::string_view name) {
  constexpr std::array<std::string_view, 3> kept{"SLURM_CONF", "SLURM_CONF_SERVER", "SLURM_JWT"};
  if (std::ranges::find(kept, name) != kept.end()) return true;
  constexpr std::array<std::string_view, 4> shaping{"SLURM", "_SLURM", "SRUN_", "MUSTER_"};
  return std::ranges::none_of(shaping, [name](auto prefix) { return name.starts_with(prefix); });
}

}  // namespace

std::vector<std::string> side_step_words(const SideStep& step, const Environment& environment) {
  std::vector<std::string> words{"env"};
  for (const auto& [name, value] : environment) {
    if (!is_kept(name)) words.insert(words.end(), {"-u", name});
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
