// Plans for random machines and random steps: the rules hold for all of them.
#include "core/binding/binding.hpp"
#include "fixtures/made_up_node.hpp"
#include "fixtures/plan_checks.hpp"

#include <algorithm>
#include <functional>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace muster::binding {
namespace {

class Dice {
 public:
  explicit Dice(unsigned seed) : engine_(seed) {}

  unsigned between(unsigned least, unsigned most) {
    return std::uniform_int_distribution<unsigned>(least, most)(engine_);
  }
  bool chance(unsigned percent) { return between(1, 100) <= percent; }

 private:
  std::mt19937 engine_;
};

fixtures::Shape random_shape(Dice& dice) {
  return {dice.between(1, 3), dice.between(1, 4), dice.between(1, 3), dice.between(1, 6),
          1U << dice.between(0, 2)};
}

// Near an L3 group, a NUMA node, a package, or nothing.
CpuSet random_neighbourhood(Dice& dice, const topology::Topology& node) {
  const auto any = [&](const auto& parts) {
    return parts[dice.between(0, static_cast<unsigned>(parts.size()) - 1)].cpus;
  };
  switch (dice.between(0, 9)) {
    case 0:
      return {};
    case 1:
    case 2:
      return any(node.packages);
    case 3:
    case 4:
    case 5:
      return any(node.l3_groups);
    default:
      return any(node.numa_nodes);
  }
}

topology::Topology random_node(Dice& dice) {
  topology::Topology node = fixtures::made_up_node(random_shape(dice));
  const unsigned gpus = dice.chance(20) ? 0 : dice.between(1, 9);
  for (unsigned i = 0; i < gpus; ++i)
    fixtures::add_gpu(node, random_neighbourhood(dice, node), static_cast<std::uint8_t>(i + 1));
  for (unsigned i = 0; i < dice.between(0, 5); ++i)
    fixtures::add_nic(node, fmt::format("mlx5_{}", i), random_neighbourhood(dice, node),
                      static_cast<std::uint8_t>(dice.between(1, 12)));
  return node;
}

CpuSet random_allowed(Dice& dice, const topology::Topology& node) {
  if (dice.chance(30)) return node.pus;
  const unsigned keep = dice.between(5, 95);
  CpuSet allowed;
  for (const unsigned pu : node.pus)
    if (dice.chance(keep)) allowed.add(pu);
  if (allowed.empty()) allowed.add(*node.pus.first());
  return allowed;
}

BindingRequest random_request(Dice& dice, const topology::Topology& node) {
  BindingRequest request;
  request.allowed = random_allowed(dice, node);
  for (std::size_t gpu = 0; gpu < node.gpus.size(); ++gpu)
    if (dice.chance(80)) request.gpus.push_back(gpu);
  request.tasks = dice.between(1, dice.chance(10) ? 40 : 12);
  return request;
}

std::string describe(const topology::Topology& node, const BindingRequest& request) {
  std::string text = fmt::format(
      "{} packages, {} numa, {} l3, {} cores, {} pus; allowed {}; {} "
      "tasks; gpus at",
      node.packages.size(), node.numa_nodes.size(), node.l3_groups.size(), node.cores.size(),
      node.pus.count(), request.allowed.to_string(), request.tasks);
  for (const auto gpu : request.gpus)
    text += fmt::format(" [{}]", node.gpus[gpu].at.cpus.to_string());
  return text;
}

TEST(EveryPlan, IsInsideDisjointBalancedAndLocal) {
  for (unsigned seed = 0; seed < 6000; ++seed) {
    Dice dice(seed);
    const topology::Topology node = random_node(dice);
    const BindingRequest request = random_request(dice, node);
    const auto broken = fixtures::broken_rules(node, request, bind(node, request));
    ASSERT_TRUE(broken.empty()) << "seed " << seed << ": " << broken.front() << "\n"
                                << describe(node, request);
  }
}

TEST(EveryPlan, IsTheSameEachTime) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    Dice dice(seed);
    const topology::Topology node = random_node(dice);
    const BindingRequest request = random_request(dice, node);
    EXPECT_EQ(bind(node, request), bind(node, request)) << "seed " << seed;
  }
}

TEST(EveryPlan, OfAnyPolicyStaysInsideAndSaysNothingTwice) {
  for (unsigned seed = 0; seed < 1500; ++seed) {
    Dice dice(seed);
    const topology::Topology node = random_node(dice);
    BindingRequest request = random_request(dice, node);
    for (const option::Bind policy : {option::Bind::none, option::Bind::core, option::Bind::l3,
                                      option::Bind::numa, option::Bind::socket}) {
      request.policy = policy;
      const BindingPlan plan = bind(node, request);
      for (const auto& task : plan.tasks) {
        EXPECT_FALSE(task.cpus.empty());
        EXPECT_TRUE(request.allowed.includes(task.cpus));
        EXPECT_GE(task.threads, 1u);
      }
    }
  }
}

bool share_cpus(const BindingPlan& plan) {
  return std::ranges::any_of(plan.warnings, [](const std::string& warning) {
    return warning.find("tasks share CPUs") != warning.npos;
  });
}

// None if tasks share CPUs.
std::size_t fewest_cores(const topology::Topology& node, const BindingPlan& plan) {
  if (share_cpus(plan)) return 0;
  std::size_t fewest = node.cores.size();
  for (const auto& task : plan.tasks) {
    std::size_t cores = 0;
    for (const auto& core : node.cores) cores += core.pus.intersects(task.cpus) ? 1U : 0U;
    fewest = std::min(fewest, cores);
  }
  return fewest;
}

bool has_displaced_tasks(const BindingPlan& plan) {
  return std::ranges::any_of(plan.warnings, [](const std::string& warning) {
    return warning.find("elsewhere") != warning.npos || warning.find("share") != warning.npos;
  });
}

TEST(EveryPlan, OfTasksWithoutGpusGivesNobodyLessWhenTheStepHasMore) {
  for (unsigned seed = 0; seed < 1500; ++seed) {
    Dice dice(seed);
    const topology::Topology node = random_node(dice);
    BindingRequest request = random_request(dice, node);
    request.gpus.clear();
    const auto before = fewest_cores(node, bind(node, request));
    request.allowed |= random_allowed(dice, node);
    EXPECT_GE(fewest_cores(node, bind(node, request)), before) << "seed " << seed;
  }
}

// A task that found no room near its GPU may find some when the step has more CPUs, and may get fewer of them
// there.
TEST(EveryPlan, WithRoomForAllBesideTheirGpusGivesNobodyLessWhenTheStepHasMore) {
  for (unsigned seed = 0; seed < 1500; ++seed) {
    Dice dice(seed);
    const topology::Topology node = random_node(dice);
    BindingRequest request = random_request(dice, node);
    const auto plan = bind(node, request);
    if (has_displaced_tasks(plan)) continue;
    request.allowed |= random_allowed(dice, node);
    EXPECT_GE(fewest_cores(node, bind(node, request)), fewest_cores(node, plan))
        << "seed " << seed << "\n"
        << describe(node, request);
  }
}

// True if every task could have `least` of the cores it wants at the same time, found with augmenting paths.
bool can_all_have(const topology::Topology& node, const BindingRequest& request,
                  const BindingPlan& plan, std::size_t least) {
  std::vector<CpuSet> wants;
  for (const auto& task : plan.tasks) {
    CpuSet home;
    for (const auto gpu : task.gpus) home |= node.gpus[gpu].at.cpus;
    for (const auto gpu : task.gpus)
      if (node.gpus[gpu].at.cpus.empty()) home = {};
    for (std::size_t i = 0; i < least; ++i)
      wants.push_back(home.empty() ? request.allowed : home & request.allowed);
  }
  std::vector<std::size_t> owner(node.cores.size(), wants.size());
  for (std::size_t want = 0; want < wants.size(); ++want) {
    std::vector<bool> tried(node.cores.size(), false);
    const std::function<bool(std::size_t)> find_core = [&](std::size_t wisher) {
      for (std::size_t core = 0; core < node.cores.size(); ++core) {
        if (tried[core] || !(node.cores[core].pus & request.allowed).intersects(wants[wisher]))
          continue;
        tried[core] = true;
        if (owner[core] == wants.size() || find_core(owner[core])) {
          owner[core] = wisher;
          return true;
        }
      }
      return false;
    };
    if (!find_core(want)) return false;
  }
  return true;
}

TEST(EveryPlan, LeavesTheTaskWithTheFewestCoresAsManyAsAnyPlanCould) {
  for (unsigned seed = 0; seed < 400; ++seed) {
    Dice dice(seed);
    const topology::Topology node = random_node(dice);
    const BindingRequest request = random_request(dice, node);
    const auto plan = bind(node, request);
    if (has_displaced_tasks(plan)) continue;
    EXPECT_FALSE(can_all_have(node, request, plan, fewest_cores(node, plan) + 1))
        << "seed " << seed << "\n"
        << describe(node, request);
  }
}

TEST(EveryPlan, UsesEveryAllowedCoreWhereNoGpuIsNearAnything) {
  for (unsigned seed = 0; seed < 500; ++seed) {
    Dice dice(seed);
    const topology::Topology node = random_node(dice);
    BindingRequest request = random_request(dice, node);
    request.gpus.clear();
    CpuSet used;
    for (const auto& task : bind(node, request).tasks) used |= task.cpus;
    if (request.tasks > request.allowed.count()) continue;
    EXPECT_EQ(used, request.allowed);
  }
}

}  // namespace
}  // namespace muster::binding
