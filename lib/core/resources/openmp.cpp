#include "core/resources/openmp.hpp"

namespace muster::resources {
namespace {

// The CPUs that belong to more than one task.
CpuSet shared_cpus(const std::vector<TaskResources>& tasks) {
  CpuSet once;
  CpuSet again;
  for (const auto& task : tasks) {
    again |= once & task.cpus;
    once |= task.cpus;
  }
  return again;
}

}  // namespace

std::vector<OpenmpBinding> openmp_bindings(const std::vector<TaskResources>& tasks) {
  const auto shared = shared_cpus(tasks);
  std::vector<OpenmpBinding> bindings;
  for (const auto& task : tasks) {
    OpenmpBinding binding;
    // "cores" rather than a list of CPUs: the runtime finds the cores in its initial mask.
    if (!task.cpus.empty()) binding.places = "cores";
    if (!task.cpus.empty()) binding.proc_bind = task.cpus.intersects(shared) ? "false" : "spread";
    bindings.push_back(std::move(binding));
  }
  return bindings;
}

}  // namespace muster::resources
