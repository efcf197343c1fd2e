// Which of a node's resources its tasks get, given the facts of a step.
#include "launcher/agent/node/resources.hpp"

#include "core/error.hpp"
#include "fixtures/made_up_node.hpp"
#include "launcher/agent/node/kernel_memory.hpp"

#include <thread>

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace muster::node {
namespace {

using Mode = wire::MemoryPolicy::Mode;

// Two NUMA nodes of two cores with two hardware threads each, and two tasks.
class Node : public testing::Test {
 protected:
  [[nodiscard]] std::vector<resources::TaskResources> tasks() const {
    return share(node_, node_.pus, facts_).tasks;
  }

  topology::Topology node_ =
      fixtures::made_up_node({.numa_per_package = 2, .cores_per_l3 = 2, .smt = 2});
  Environment environment_;
  ResourceFacts facts_{.bind = option::Bind::auto_,
                       .memory = option::Memory::local,
                       .smt = true,
                       .gpus = option::Gpus::shared,
                       .environment = environment_,
                       .cores = {},
                       .tres_bind = {},
                       .tasks = 2,
                       .user_bound = false,
                       .user_bound_memory = false,
                       .kernel = {.nodes = {0, 1}, .preferred_many = true}};
};

TEST_F(Node, GivesEachTaskCpusAndTheMemoryBesideThem) {
  const auto both = tasks();
  EXPECT_EQ(both[0].cpus.to_string(), "0-1,4-5");
  EXPECT_EQ(both[0].memory, (wire::MemoryPolicy{Mode::preferred, {1}}));
  EXPECT_EQ(both[1].memory, (wire::MemoryPolicy{Mode::preferred, {2}}));
  EXPECT_FALSE(both[0].cpus_required);
}

TEST_F(Node, InsistsOnCpusAndMemoryWhereTheUserDoes) {
  facts_.bind = option::Bind::exclusive;
  facts_.memory = option::Memory::strict;
  for (const auto& task : tasks()) {
    EXPECT_TRUE(task.cpus_required);
    EXPECT_EQ(task.memory.mode, Mode::bind);
  }
}

TEST_F(Node, GivesOneHardwareThreadOfEachCoreWithoutSmt) {
  facts_.smt = false;
  EXPECT_EQ(tasks()[0].cpus.to_string(), "0-1");
  EXPECT_EQ(tasks()[1].cpus.to_string(), "2-3");
}

TEST_F(Node, LeavesCpusAndMemoryAloneWhereTheUserHasBoundThem) {
  facts_.memory = option::Memory::strict;
  facts_.user_bound_memory = true;
  EXPECT_FALSE(tasks()[0].cpus.empty());
  EXPECT_EQ(tasks()[0].memory, wire::MemoryPolicy{});
  facts_.user_bound_memory = false;
  facts_.user_bound = true;
  facts_.bind = option::Bind::exclusive;
  EXPECT_TRUE(tasks()[0].cpus.empty());
  EXPECT_EQ(tasks()[0].memory, wire::MemoryPolicy{});
  EXPECT_FALSE(tasks()[0].cpus_required);
}

TEST_F(Node, LeavesMemoryAloneWhereItDoesNotBind) {
  facts_.bind = option::Bind::none;
  facts_.memory = option::Memory::strict;
  EXPECT_EQ(tasks()[0].memory, wire::MemoryPolicy{});
}

TEST_F(Node, NeverCountsMemoryWithoutProcessors) {
  topology::NumaNode of_a_gpu;
  of_a_gpu.os_index = 2;
  of_a_gpu.cpus = node_.pus;
  of_a_gpu.memory_only = true;
  node_.numa_nodes.push_back(of_a_gpu);
  facts_.kernel.nodes = {0, 1, 2};
  facts_.memory = option::Memory::strict;
  EXPECT_EQ(tasks()[0].memory, (wire::MemoryPolicy{Mode::bind, {1}}));
}

// The same node with GPU 0 near the second NUMA node and GPU 1 near the first. Slurm hides some from each task.
class ConfinedGpus : public Node {
 protected:
  ConfinedGpus() {
    fixtures::add_gpu(node_, CpuSet::parse("2-3,6-7"), 0x10);
    fixtures::add_gpu(node_, CpuSet::parse("0-1,4-5"), 0x20);
    environment_.set("SLURM_STEP_GPUS", "0,1");
    environment_.set("CUDA_VISIBLE_DEVICES", "0,1");
  }

  [[nodiscard]] std::vector<std::string> cpus(std::string_view tres_bind) {
    facts_.tres_bind = tres_bind;
    std::vector<std::string> lists;
    for (const auto& task : tasks()) lists.push_back(task.cpus.to_string());
    return lists;
  }
};

using Lists = std::vector<std::string>;
constexpr const char* near_0 = "2-3,6-7";
constexpr const char* near_1 = "0-1,4-5";

TEST_F(ConfinedGpus, LeaveATaskItsCpusWhereSlurmChoseThemByCpus) {
  for (const auto* const bind :
       {"gpu:closest", "gpu:single:1", "gres/gpu:single:2", "gres/gpu:per_task:1"}) {
    EXPECT_EQ(cpus(bind), (Lists{"", ""})) << bind;
    for (const auto& task : tasks()) {
      EXPECT_EQ(task.memory, wire::MemoryPolicy{});
      EXPECT_EQ(task.threads, 2U);  // an equal part of the step's cores
    }
    EXPECT_TRUE(tasks()[0].gpus.empty());
  }
}

TEST_F(ConfinedGpus, PlaceATaskWhereTheyAreKnown) {
  EXPECT_EQ(cpus("gpu:per_task:1"), (Lists{near_0, near_1}));
  EXPECT_EQ(cpus("gres/gpu:map:1,0"), (Lists{near_1, near_0}));
  EXPECT_EQ(cpus("gpu:mask_gpu:0x2,0x1"), (Lists{near_1, near_0}));
  facts_.tasks = 1;  // older releases of Slurm then hide nothing
  EXPECT_EQ(cpus("gpu:per_task:1"), Lists{""});
}

TEST_F(ConfinedGpus, PlaceATaskWhereItMakesNoDifferenceWhichOnesItHas) {
  node_.gpus[1].at.cpus = node_.gpus[0].at.cpus;
  EXPECT_EQ(cpus("gres/gpu:per_task:1"), (Lists{"2,6", "3,7"}));
  EXPECT_TRUE(tasks()[0].gpus.empty());
  node_.gpus[0].at.cpus = node_.gpus[1].at.cpus = {};
  EXPECT_EQ(cpus("gres/gpu:per_task:1"), (Lists{"", ""}));
}

TEST_F(ConfinedGpus, AreNamedWhereAPolicyNeedsToKnowThem) {
  facts_.tres_bind = "gpu:closest";
  const auto of_policies = [&] {
    std::size_t lines = 0;
    for (const auto& line : share(node_, node_.pus, facts_).warnings)
      if (line.find("needs to know each task's GPU") != std::string::npos) ++lines;
    return lines;
  };
  EXPECT_EQ(of_policies(), 0U);
  facts_.bind = option::Bind::numa;
  EXPECT_EQ(of_policies(), 1U);
  EXPECT_TRUE(tasks()[0].cpus.empty());
  facts_.bind = option::Bind::exclusive;
  EXPECT_THROW(tasks(), Error);
  facts_.user_bound = true;
  EXPECT_EQ(of_policies(), 0U);
}

TEST(KernelMemory, IsTriedWithoutATrace) {
  int mode = -1;
  if (syscall(SYS_get_mempolicy, &mode, nullptr, 0UL, nullptr, 0UL) != 0) {
    GTEST_SKIP() << "this kernel has no memory policies";
  }
  const auto here = kernel_memory().nodes;
  EXPECT_FALSE(here.empty());
  syscall(SYS_get_mempolicy, &mode, nullptr, 0UL, nullptr, 0UL);
  EXPECT_EQ(mode, 0);
  // muster exec tries it in the process that becomes the program, for example under numactl.
  std::thread([&] {
    const auto& words = here.words();
    const auto bound = static_cast<long>(Mode::bind);
    ASSERT_EQ(syscall(SYS_set_mempolicy, bound, words.data(), words.size() * 64 + 1), 0);
    kernel_memory();
    syscall(SYS_get_mempolicy, &mode, nullptr, 0UL, nullptr, 0UL);
    EXPECT_EQ(mode, bound);
  }).join();
}

}  // namespace
}  // namespace muster::node
