#include "launcher/topology/live_partitions.hpp"

#include "launcher/topology/nvml.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace muster::topology {

PartitionedTopology with_live_partitions(Topology topology, const std::filesystem::path& root,
                                         const std::string& library) {
  PartitionedTopology result{with_kfd_partitions(std::move(topology), root), true, {}};
  const auto gpus = static_cast<std::size_t>(
      std::ranges::count(result.topology.gpus, GpuVendor::nvidia, &Gpu::vendor));
  if (gpus == 0 || !has_mig_instances(root)) return result;
  const auto answer = ask_mig(library, nvml_timeout, gpus);
  if (answer) {
    result.topology = with_mig(std::move(result.topology), answer->instances);
    result.complete = answer->complete;
    return result;
  }
  result.complete = false;
  result.warnings.push_back(fmt::format(
      "this node has MIG instances, but {} did not say within {} ms which GPU each is on, so "
      "muster does not place tasks near them; does the driver work (nvidia-smi -L)?",
      library, nvml_timeout.count()));
  return result;
}

}  // namespace muster::topology
