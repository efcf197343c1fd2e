// Turns a request into a plan: checks it, divides GPUs among tasks, places tasks by the policy, and adds
// the rest.
#include "core/binding/binding.hpp"

#include "core/binding/cores/core_slots.hpp"
#include "core/binding/cores/locality.hpp"
#include "core/binding/devices/compute_nics.hpp"
#include "core/binding/devices/gpus.hpp"
#include "core/binding/devices/nics.hpp"
#include "core/binding/policy.hpp"
#include "core/error.hpp"
#include "core/text/amounts.hpp"
#include "core/topology/topology.hpp"

#include <algorithm>
#include <iterator>
#include <map>

#include <fmt/format.h>

namespace muster::binding {
namespace {

void check(const topology::Topology& topology, const BindingRequest& request) {
  if (request.tasks == 0) throw Error("cannot plan for zero tasks; at least one is required");
  if (!topology.pus.intersects(request.allowed))
    throw Error(fmt::format("none of the step's CPUs ({}) exists on this node ({})",
                            request.allowed.to_string(), topology.pus.to_string()));
  for (const auto gpu : request.gpus)
    if (gpu >= topology.gpus.size())
      throw Error(fmt::format("GPU {} was requested, but the topology has {}", gpu,
                              text::count(topology.gpus.size(), "GPU")));
}

std::string name_of(const topology::Gpu& gpu) {
  return on_pci(gpu) ? to_string(gpu.address) : fmt::to_string(gpu.index);
}

std::vector<std::string> warnings_about_gpus(const topology::Topology& topology,
                                             const devices::GpuList& gpus) {
  std::string unknown;
  std::size_t number = 0;
  for (const auto gpu : gpus) {
    if (!topology.gpus[gpu].at.cpus.empty()) continue;
    unknown += (unknown.empty() ? "" : ", ") + name_of(topology.gpus[gpu]);
    ++number;
  }
  if (unknown.empty()) return {};
  return {
      fmt::format("the hardware does not report which CPUs are near {} {}: {} tasks are placed "
                  "as if they had no GPU",
                  text::plural(number, "GPU"), unknown, number == 1 ? "its" : "their")};
}

CpuSet one_thread_per_core(const cores::CoreSlots& cores, const CpuSet& cpus) {
  CpuSet thinned;
  for (const auto& core : cores)
    if (const auto first = (core.pus & cpus).first()) thinned.add(*first);
  return thinned;
}

// The number of threads that each task should start (OMP_NUM_THREADS): the cores among its CPUs, at least
// 1. A core that k tasks may use counts as 1/k for each of them, so that tasks that share a NUMA node do
// not each start a thread per core.
std::vector<std::size_t> threads_of(const cores::CoreSlots& cores,
                                    const std::vector<CpuSet>& cpus) {
  constexpr double rounding = 1e-9;  // k times 1/k may come out a little below 1
  std::vector<double> domains(cpus.size(), rounding);
  for (const auto& core : cores) {
    const auto uses = [&](const CpuSet& set) { return set.intersects(core.pus); };
    const auto users = static_cast<double>(std::ranges::count_if(cpus, uses));
    for (std::size_t task = 0; task < cpus.size(); ++task)
      if (uses(cpus[task])) domains[task] += 1 / users;
  }
  std::vector<std::size_t> threads;
  threads.reserve(domains.size());
  for (const double part : domains)
    threads.push_back(std::max<std::size_t>(1, static_cast<std::size_t>(part)));
  return threads;
}

Localities wishes_of(const topology::Topology& topology, const CpuSet& allowed,
                     const std::vector<devices::GpuList>& shares) {
  Localities localities{allowed, {}};
  for (const auto& gpus : shares) localities.of_task.push_back(cores::local_cpus(topology, gpus));
  return localities;
}

void fill_in_gpus(BindingPlan& plan, const topology::Topology& topology,
                  const BindingRequest& request, const std::vector<devices::GpuList>& shares) {
  plan.gpu_order = devices::shared_order(request.gpus, shares);
  std::map<devices::GpuList, devices::GpuList> orders;  // many tasks may share few GPUs
  for (std::size_t task = 0; task < shares.size(); ++task) {
    auto& order = orders[shares[task]];
    if (order.empty()) order = devices::nearest_first(topology, request.gpus, shares[task]);
    plan.tasks[task].gpus = shares[task];
    plan.tasks[task].gpu_order = order;
  }
}

void fill_in_cpus(BindingPlan& plan, const topology::Topology& topology,
                  const BindingRequest& request, std::vector<CpuSet> cpus) {
  const cores::CoreSlots cores = cores::usable_cores(topology, topology.pus & request.allowed);
  const auto threads = threads_of(cores, cpus);
  for (std::size_t task = 0; task < cpus.size(); ++task) {
    TaskBinding& binding = plan.tasks[task];
    const bool thin = plan.sets_cpus && !request.smt;
    binding.cpus = thin ? one_thread_per_core(cores, cpus[task]) : std::move(cpus[task]);
    binding.numa = numa_nodes_of(topology, binding.cpus);
    binding.threads = threads[task];
  }
}

void fill_in_nics(BindingPlan& plan, const topology::Topology& topology,
                  const BindingRequest& request) {
  plan.nics = devices::compute_nics(topology, request.excluded_nics);
  std::vector<devices::TaskDevices> tasks;
  tasks.reserve(plan.tasks.size());
  for (const auto& task : plan.tasks) tasks.push_back({task.cpus, task.gpus});
  auto nics = choose_nics(topology, tasks, plan.nics);
  for (std::size_t task = 0; task < plan.tasks.size(); ++task)
    plan.tasks[task].nics = std::move(nics[task]);
}

}  // namespace

BindingPlan bind(const topology::Topology& topology, const BindingRequest& request) {
  check(topology, request);
  const auto shares = request.gpus_of_task.empty()
                          ? devices::share_gpus(topology, request.gpus, request.tasks)
                          : request.gpus_of_task;
  auto placement = bind_tasks(topology, request.policy,
                              wishes_of(topology, topology.pus & request.allowed, shares));
  BindingPlan plan;
  plan.sets_cpus = request.policy != option::Bind::none;
  plan.tasks.resize(request.tasks);
  if (plan.sets_cpus) plan.warnings = warnings_about_gpus(topology, request.gpus);
  std::ranges::move(placement.warnings, std::back_inserter(plan.warnings));
  fill_in_gpus(plan, topology, request, shares);
  fill_in_cpus(plan, topology, request, std::move(placement.cpus));
  fill_in_nics(plan, topology, request);
  return plan;
}

}  // namespace muster::binding
