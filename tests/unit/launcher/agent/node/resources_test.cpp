// Which of a node's resources its tasks get, given the facts of a step.
#include "launcher/agent/node/resources.hpp"

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
