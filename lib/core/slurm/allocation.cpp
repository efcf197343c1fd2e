#include "core/slurm/allocation.hpp"

#include "core/contains.hpp"
#include "core/error.hpp"
#include "core/slurm/hostlist.hpp"
#include "core/slurm/releases.hpp"

#include <algorithm>
#include <iterator>
#include <set>

namespace muster::slurm {
namespace {

std::set<std::string> nodes_with_cores(const Job& job) try {
  const auto nodes = expand_hostlist(job.nodes_with_cores);
  return {nodes.begin(), nodes.end()};
} catch (const Error&) {  // it contains words of the job's own command line
  return {};
}

// Empty if Slurm does not show the cores of any node.
std::vector<std::string> nodes_without_cores(const std::vector<std::string>& nodes,
                                             const Job& job) {
  if (job.nodes_with_cores.empty()) return {};
  const auto with = nodes_with_cores(job);
  if (with.empty()) return {};
  std::vector<std::string> without;
  std::ranges::copy_if(nodes, std::back_inserter(without),
                       [&with](const auto& node) { return !with.contains(node); });
  return without;
}

}  // namespace

std::optional<Allocation> current_allocation(const Environment& environment) {
  Allocation allocation;
  allocation.job = environment.get("SLURM_JOB_ID");
  if (allocation.job.empty()) return std::nullopt;
  if (const auto& list = environment.get("SLURM_JOB_NODELIST"); !list.empty()) {
    allocation.nodes = expand_hostlist(list);
  }
  allocation.step_manager = environment.get("SLURM_STEPMGR");
  // The command of an inner salloc sees the outer job's node, which is seldom one of its own.
  const auto& node = environment.get("SLURMD_NODENAME");
  if (contains(allocation.nodes, node) && is_batch_script(environment)) {
    allocation.batch_host = node;
  }
  return allocation;
}

std::optional<Allocation> allocation_of(const Job& job) {
  if (job.node_list.empty()) return std::nullopt;
  Allocation allocation{.job = job.id,
                        .nodes = expand_hostlist(job.node_list),
                        .batch_host = job.batch_host,
                        .component = job.component,
                        .gpus_of_node = job.gpus_of_node,
                        .step_manager = job.step_manager};
  allocation.without_cores = nodes_without_cores(allocation.nodes, job);
  return allocation;
}

}  // namespace muster::slurm
