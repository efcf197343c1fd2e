#include "launcher/slurm/node_variables.hpp"

#include "core/slurm/hostlist.hpp"

namespace muster::slurm {

EnvironmentChange node_variables(std::span<const std::string> nodes) {
  const auto list = compress_hostlist(nodes);
  const auto count = std::to_string(nodes.size());
  return {.set = {{"SLURM_JOB_NODELIST", list},
                  {"SLURM_NODELIST", list},
                  {"SLURM_JOB_NUM_NODES", count},
                  {"SLURM_NNODES", count}},
          .unset = {}};
}

}  // namespace muster::slurm
