#include "plan_checks.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

namespace muster::test {
namespace {

class Checks {
 public:
  Checks(const Topology& topology, const BindingRequest& request, const BindingPlan& plan)
      : topology_(topology),
        request_(request),
        plan_(plan),
        allowed_(request.allowed & topology.pus),
        enough_(allowed_.count() >= request.tasks) {}

  std::vector<std::string> run() {
    require(plan_.tasks.size() == request_.tasks, "a task is missing");
    for (std::size_t task = 0; task < plan_.tasks.size(); ++task) check_task(task);
    check_disjoint();
    check_balance();
    check_warnings();
    return broken_;
  }

 private:
  void require(bool holds, const std::string& rule) {
    if (!holds) broken_.push_back(rule);
  }

  // The CPUs beside a task's GPUs; nothing where that is not known.
  CpuSet neighbourhood(std::size_t task) const {
    CpuSet near;
    for (const auto gpu : plan_.tasks[task].gpus) {
      if (topology_.gpus[gpu].at.cpus.empty()) return {};
      near |= topology_.gpus[gpu].at.cpus;
    }
    return near;
  }

  CpuSet local(std::size_t task) const { return neighbourhood(task) & allowed_; }

  void check_task(std::size_t task) {
    const TaskBinding& binding = plan_.tasks[task];
    require(!binding.cpus.empty(), fmt::format("task {} has no CPU", task));
    require(allowed_.includes(binding.cpus), fmt::format("task {} left the step's CPUs", task));
    require(binding.threads >= 1, fmt::format("task {} has no thread", task));
    require(binding.gpu_order.size() == request_.gpus.size(),
            fmt::format("task {} does not list every GPU once", task));
    require(std::ranges::mismatch(binding.gpus, binding.gpu_order).in1 == binding.gpus.end(),
            fmt::format("task {} does not list its own GPUs first", task));
    if (enough_) check_locality(task);
  }

  void check_locality(std::size_t task) {
    const CpuSet near = local(task);
    if (near.empty() || near.includes(plan_.tasks[task].cpus)) return;
    CpuSet used;
    for (const auto& other : plan_.tasks) used |= other.cpus;
    for (const auto& core : topology_.cores)
      require(!core.pus.intersects(near) || core.pus.intersects(used),
              fmt::format("task {} is away from its GPU while core {} there is free", task,
                          core.pus.to_string()));
  }

  void check_disjoint() {
    if (!enough_) return;
    CpuSet seen;
    for (const auto& task : plan_.tasks) {
      require(!seen.intersects(task.cpus), "tasks share CPUs although there are enough");
      seen |= task.cpus;
    }
  }

  std::size_t cores_of(const CpuSet& cpus) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        topology_.cores, [&](const Core& core) { return core.pus.intersects(cpus); }));
  }

  // Tasks beside the same CPUs have the same claim; those that found no room there do not count.
  void check_balance() {
    std::map<CpuSet, std::vector<std::size_t>> claims;
    for (std::size_t task = 0; task < plan_.tasks.size(); ++task) {
      const CpuSet near = neighbourhood(task);
      const CpuSet& cpus = plan_.tasks[task].cpus;
      if (near.empty() || near.includes(cpus)) claims[near].push_back(cores_of(cpus));
    }
    for (const auto& [near, cores] : claims) {
      const auto [least, most] = std::ranges::minmax(cores);
      require(most - least <= 1, fmt::format("equal tasks have from {} to {} cores", least, most));
    }
  }

  void check_warnings() {
    const std::set<std::string> distinct(plan_.warnings.begin(), plan_.warnings.end());
    require(distinct.size() == plan_.warnings.size(), "a warning is said twice");
    for (const auto& warning : plan_.warnings)
      require(warning.find('\n') == warning.npos, "a warning has several lines");
    require(enough_ || !plan_.warnings.empty(), "nothing is said about too few CPUs");
  }

  const Topology& topology_;
  const BindingRequest& request_;
  const BindingPlan& plan_;
  CpuSet allowed_;
  bool enough_;
  std::vector<std::string> broken_;
};

}  // namespace

std::vector<std::string> broken_rules(const Topology& topology, const BindingRequest& request,
                                      const BindingPlan& plan) {
  return Checks(topology, request, plan).run();
}

}  // namespace muster::test
