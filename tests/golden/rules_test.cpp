// Every available capture: it is read, or one line says why not; and whatever is requested from it, the plan
// keeps the rules. A file placed beside the others is tested without a change to the code.
#include "captures.hpp"
#include "constructed.hpp"
#include "core/error.hpp"
#include "core/topology/hwloc/load.hpp"
#include "fixtures/plan_checks.hpp"
#include "usual_steps.hpp"

#include <ctime>
#include <set>

#include <fmt/format.h>

namespace muster::golden {
namespace {

// One task per GPU, and numbers near that; then numbers near those of cores and of hardware threads.
std::set<std::size_t> task_counts(const topology::Topology& node) {
  std::set<std::size_t> counts;
  for (std::size_t tasks = 1; tasks <= 2 * node.gpus.size() + 3; ++tasks) counts.insert(tasks);
  for (const std::size_t many : {node.cores.size(), node.pus.count()})
    for (const std::size_t tasks : {many / 2, many - 1, many, many + 1})
      if (tasks > 0) counts.insert(tasks);
  return counts;
}

std::vector<StepCpus> all_cpusets(const topology::Topology& node) {
  auto all = usual_cpusets(node);
  for (auto& cpus : awkward_cpusets(node)) all.push_back(std::move(cpus));
  return all;
}

// The only plan that may be refused.
bool may_be_refused(const binding::BindingRequest& request) {
  return request.policy == option::Bind::exclusive;
}

std::vector<std::string> faults(const topology::Topology& node,
                                const binding::BindingRequest& request) try {
  const std::clock_t start = std::clock();  // CPU time, because the machine may be busy
  const binding::BindingPlan plan = bind(node, request);
  auto found = fixtures::broken_rules(node, request, plan);
  if (std::clock() - start > 5 * CLOCKS_PER_SEC) found.emplace_back("it took too long");
  if (bind(node, request) != plan) found.emplace_back("it differs each time");
  return found;
} catch (const Error& error) {
  if (may_be_refused(request)) return {};
  return {error.what()};
}

void expect_rules(const std::string& name, const topology::Topology& node) {
  for (const auto& cpus : all_cpusets(node))
    for (const auto& policy : binding_policies)
      for (const std::size_t tasks : task_counts(node))
        for (const bool smt : {true, false}) {
          auto request = whole_node(node);
          request.allowed = cpus.set;
          request.policy = policy.bind;
          request.tasks = tasks;
          request.smt = smt;
          for (const auto& fault : faults(node, request))
            ADD_FAILURE() << fmt::format("{}: {} CPUs, bind={}, {} tasks, SMT {}: {}", name,
                                         cpus.name, policy.name, tasks, smt, fault);
        }
}

TEST(EveryCapture, IsReadOrOneLineSaysWhyNot) {
  MUSTER_REQUIRE_CAPTURES();
  for (const auto& file : capture_files()) try {
      EXPECT_FALSE(topology::hwloc::load_xml_topology(file).pus.empty()) << file;
    } catch (const Error& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find(file.filename().string()), message.npos) << message;
      EXPECT_EQ(message.find('\n'), message.npos) << message;
    }
}

TEST(EveryCapture, GivesPlansThatKeepTheRules) {
  MUSTER_REQUIRE_CAPTURES();
  for (const auto& name : readable_captures()) expect_rules(name, load_capture(name));
}

TEST(EveryConstructedMachine, GivesPlansThatKeepTheRules) {
  constexpr std::size_t most_cores =
      144;  // four CPUs are no different, and take four times as long
  for (const auto& machine : constructed_machines())
    if (machine.node.cores.size() <= most_cores) expect_rules(machine.name, machine.node);
}

}  // namespace
}  // namespace muster::golden
