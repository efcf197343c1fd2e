// Where a task's memory comes from, as requested from the kernel.
#include "core/binding/memory_policy.hpp"

#include "core/topology/cpu.hpp"

#include <gtest/gtest.h>

namespace muster::binding {
namespace {

using Mode = wire::MemoryPolicy::Mode;

const KernelMemory all{.nodes = topology::NodeSet::range(0, 3), .preferred_many = true};

TEST(MemoryPolicy, PrefersTheNodesOfTheTasksCpus) {
  EXPECT_EQ(memory_policy(option::Memory::local, {2}, all),
            (wire::MemoryPolicy{Mode::preferred, {4}}));
  EXPECT_EQ(memory_policy(option::Memory::local, {0, 1}, all),
            (wire::MemoryPolicy{Mode::preferred_many, {3}}));
}

TEST(MemoryPolicy, LeavesTheKernelsWhereItCannotPreferSeveralNodes) {
  const KernelMemory old{.nodes = all.nodes, .preferred_many = false};
  EXPECT_EQ(memory_policy(option::Memory::local, {0, 1}, old), wire::MemoryPolicy{});
  EXPECT_EQ(memory_policy(option::Memory::local, {1}, old).mode, Mode::preferred);
  EXPECT_EQ(memory_policy(option::Memory::strict, {0, 1}, old).mode, Mode::bind);
}

TEST(MemoryPolicy, LeavesTheKernelsToATaskThatHasAllNodes) {
  EXPECT_EQ(memory_policy(option::Memory::local, all.nodes, all), wire::MemoryPolicy{});
  EXPECT_EQ(memory_policy(option::Memory::strict, all.nodes, all).mode, Mode::bind);
  const KernelMemory with_a_gpus{.nodes = {0, 1, 8}, .preferred_many = true};
  EXPECT_EQ(memory_policy(option::Memory::local, {0, 1}, with_a_gpus).mode, Mode::preferred_many);
}

TEST(MemoryPolicy, PrefersNoNodeWithoutMemory) {
  const KernelMemory half{.nodes = {0, 2}, .preferred_many = true};
  EXPECT_EQ(memory_policy(option::Memory::local, {0, 1}, half),
            (wire::MemoryPolicy{Mode::preferred, {1}}));
  EXPECT_EQ(memory_policy(option::Memory::local, {1}, half), wire::MemoryPolicy{});
}

TEST(MemoryPolicy, KeepsAStrictWishWholeSoThatTheKernelCanRefuseIt) {
  const KernelMemory half{.nodes = {0}, .preferred_many = true};
  EXPECT_EQ(memory_policy(option::Memory::strict, {0, 1}, half),
            (wire::MemoryPolicy{Mode::bind, {3}}));
}

TEST(MemoryPolicy, IsTheKernelsWhereNothingIsWantedOrKnown) {
  EXPECT_EQ(memory_policy(option::Memory::none, {0}, all), wire::MemoryPolicy{});
  EXPECT_EQ(memory_policy(option::Memory::strict, {}, all), wire::MemoryPolicy{});
}

}  // namespace
}  // namespace muster::binding
