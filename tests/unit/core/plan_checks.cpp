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
    for (std::size_t task = 0; task < plan_.tasks.size(); ++task) {
      check_task(task);
      check_nics(task);
    }
    check_gpus();
    if (gives_cores_of_ones_own()) check_shares();
    if (const auto parts = parts_of_policy(); !parts.empty()) check_parts(parts);
    check_warnings();
    return broken_;
  }

 private:
  void require(bool holds, const std::string& rule) {
    if (!holds) broken_.push_back(rule);
  }

  bool gives_cores_of_ones_own() const {
    return request_.policy == Bind::auto_ || request_.policy == Bind::core ||
           request_.policy == Bind::exclusive;
  }

  // The CPUs beside a task's GPUs; nothing where that is not known.
  CpuSet neighbourhood(std::size_t task) const {
    CpuSet near;
    for (const auto gpu : plan_.tasks[task].gpus) {
      if (topology_.gpus[gpu].at.cpus.empty()) return {};
      near |= topology_.gpus[gpu].at.cpus;
    }
    if (request_.policy == Bind::exclusive && !near.empty())
      for (const auto& node : topology_.numa_nodes)
        if (!node.memory_only && node.cpus.intersects(near)) near |= node.cpus;
    return near;
  }

  CpuSet local(std::size_t task) const { return neighbourhood(task) & allowed_; }

  void check_task(std::size_t task) {
    const TaskBinding& binding = plan_.tasks[task];
    require(!binding.cpus.empty(), fmt::format("task {} has no CPU", task));
    require(allowed_.includes(binding.cpus), fmt::format("task {} left the step's CPUs", task));
    require(binding.threads >= 1, fmt::format("task {} has no thread", task));
    require(binding.threads <= cores_of(binding.cpus),
            fmt::format("task {} has more threads than cores", task));
    require(binding.gpu_order.size() == request_.gpus.size(),
            fmt::format("task {} does not list every GPU once", task));
    require(std::ranges::mismatch(binding.gpus, binding.gpu_order).in1 == binding.gpus.end(),
            fmt::format("task {} does not list its own GPUs first", task));
    require(binding.gpus.empty() == request_.gpus.empty(),
            fmt::format("task {} has no GPU though there are some", task));
    if (!request_.smt && plan_.sets_cpus)
      require(binding.cpus.count() == cores_of(binding.cpus),
              fmt::format("task {} has two threads of a core without SMT", task));
  }

  // Every GPU is somebody's; nobody has more than one more than another, nor is a GPU shared by
  // more than one task more than another; and place LOCAL_RANK of the list for all is that rank's.
  void check_gpus() {
    if (request_.gpus.empty()) return;
    std::map<std::size_t, std::size_t> tasks_of;
    for (const auto gpu : request_.gpus) tasks_of[gpu] = 0;
    std::vector<std::size_t> sizes;
    for (const auto& task : plan_.tasks) {
      sizes.push_back(task.gpus.size());
      for (const auto gpu : task.gpus) ++tasks_of[gpu];
    }
    require(tasks_of.size() == request_.gpus.size(), "a task has a GPU that is not the step's");
    const auto [fewest, most] = std::ranges::minmax(sizes);
    require(most - fewest <= 1, fmt::format("tasks have from {} to {} GPUs", fewest, most));
    std::vector<std::size_t> users;
    for (const auto& [gpu, count] : tasks_of) users.push_back(count);
    const auto [least_used, most_used] = std::ranges::minmax(users);
    require(least_used > 0 && most_used - least_used <= 1,
            fmt::format("GPUs serve from {} to {} tasks", least_used, most_used));
    for (std::size_t rank = 0; rank < std::min(request_.gpus.size(), plan_.tasks.size()); ++rank)
      require(plan_.gpu_order[rank] == plan_.tasks[rank].gpus.front(),
              fmt::format("place {} of the GPUs for all is not that rank's", rank));
  }

  static bool usable(const Nic& nic) { return nic.rdma && nic.up.value_or(true); }

  // Never a NIC that cannot be used, and some wherever there is one.
  void check_nics(std::size_t task) {
    const auto& nics = plan_.tasks[task].nics;
    require(std::ranges::all_of(nics, [&](auto nic) { return usable(topology_.nics[nic]); }),
            fmt::format("task {} has a NIC that is down or without RDMA", task));
    require(nics.empty() == std::ranges::none_of(topology_.nics, usable),
            fmt::format("task {} has no NIC though there is one", task));
  }

  void check_shares() {
    if (!enough_) return;
    for (std::size_t task = 0; task < plan_.tasks.size(); ++task) check_locality(task);
    check_disjoint();
    check_whole_cores();
    check_balance();
  }

  // bind=core leaves cores free on purpose.
  void check_locality(std::size_t task) {
    const CpuSet near = local(task);
    if (near.empty() || !is_away(task) || request_.policy == Bind::core) return;
    CpuSet used;
    for (const auto& other : plan_.tasks) used |= other.cpus;
    for (const auto& core : topology_.cores)
      require(!core.pus.intersects(near) || core.pus.intersects(used),
              fmt::format("task {} is away from its GPU while core {} there is free", task,
                          core.pus.to_string()));
  }

  void check_disjoint() {
    CpuSet seen;
    for (const auto& task : plan_.tasks) {
      require(!seen.intersects(task.cpus), "tasks share CPUs although there are enough");
      seen |= task.cpus;
    }
  }

  // Two tasks are on one core only where the tasks around it outnumber the cores there. One that
  // found no room beside its GPU fills what is nearest.
  void check_whole_cores() {
    for (std::size_t a = 0; a < plan_.tasks.size(); ++a)
      for (std::size_t b = a + 1; b < plan_.tasks.size(); ++b) {
        if (!share_a_core(a, b) || is_away(a) || is_away(b)) continue;
        const CpuSet home = local(a).empty() ? allowed_ : local(a);
        const auto there = std::ranges::count_if(
            plan_.tasks, [&](const TaskBinding& task) { return task.cpus.intersects(home); });
        require(static_cast<std::size_t>(there) > cores_of(home),
                fmt::format("tasks {} and {} share a core although each could have one", a, b));
      }
  }

  bool is_away(std::size_t task) const {
    const CpuSet near = neighbourhood(task);
    return !near.empty() && !near.includes(plan_.tasks[task].cpus);
  }

  bool share_a_core(std::size_t a, std::size_t b) const {
    return std::ranges::any_of(topology_.cores, [&](const Core& core) {
      return core.pus.intersects(plan_.tasks[a].cpus) && core.pus.intersects(plan_.tasks[b].cpus);
    });
  }

  std::size_t cores_of(const CpuSet& cpus) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        topology_.cores, [&](const Core& core) { return core.pus.intersects(cpus); }));
  }

  // Tasks beside the same CPUs have the same claim; those that found no room there do not count.
  void check_balance() {
    std::map<CpuSet, std::vector<std::size_t>> claims;
    for (std::size_t task = 0; task < plan_.tasks.size(); ++task) {
      if (!is_away(task)) claims[neighbourhood(task)].push_back(cores_of(plan_.tasks[task].cpus));
    }
    for (const auto& [near, cores] : claims) {
      const auto [least, most] = std::ranges::minmax(cores);
      require(most - least <= 1, fmt::format("equal tasks have from {} to {} cores", least, most));
    }
  }

  std::vector<CpuSet> parts_of_policy() const {
    std::vector<CpuSet> parts;
    if (request_.policy == Bind::socket)
      for (const auto& package : topology_.packages) parts.push_back(package.cpus);
    const bool l3 = request_.policy == Bind::l3 && !topology_.l3_groups.empty();
    if (l3)
      for (const auto& group : topology_.l3_groups) {
        CpuSet rest = group.cpus;
        for (const auto& node : topology_.numa_nodes) {
          if (node.memory_only) continue;
          parts.push_back(group.cpus & node.cpus);
          rest -= node.cpus;
        }
        if (rest == group.cpus) parts.push_back(group.cpus);
      }
    if (request_.policy == Bind::numa || (request_.policy == Bind::l3 && !l3))
      for (const auto& node : topology_.numa_nodes)
        if (!node.memory_only) parts.push_back(node.cpus);
    std::erase_if(parts, [&](const CpuSet& part) { return !part.intersects(allowed_); });
    return parts;
  }

  // Whole parts, beside the GPU wherever one of those has a CPU for the step.
  void check_parts(const std::vector<CpuSet>& parts) {
    for (std::size_t task = 0; task < plan_.tasks.size(); ++task) {
      const CpuSet& cpus = plan_.tasks[task].cpus;
      CpuSet whole;
      for (const auto& part : parts)
        if (part.intersects(cpus)) whole |= part & allowed_;
      require(whole.includes(cpus) && (!request_.smt || whole == cpus),
              fmt::format("task {} has not all of its {}", task, whole.to_string()));
      const CpuSet near = neighbourhood(task);
      const auto beside = [&](const CpuSet& part) { return part.intersects(near); };
      if (std::ranges::any_of(parts, beside))
        require(
            std::ranges::any_of(
                parts, [&](const CpuSet& part) { return beside(part) && part.intersects(cpus); }),
            fmt::format("task {} is away from its GPU", task));
    }
  }

  void check_warnings() {
    const std::set<std::string> distinct(plan_.warnings.begin(), plan_.warnings.end());
    require(distinct.size() == plan_.warnings.size(), "a warning is said twice");
    for (const auto& warning : plan_.warnings)
      require(warning.find('\n') == warning.npos, "a warning has several lines");
    if (gives_cores_of_ones_own())
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
