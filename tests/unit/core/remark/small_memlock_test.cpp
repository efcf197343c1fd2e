#include "core/remark/small_memlock.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace muster::remark {
namespace {

constexpr std::uint64_t default_of_systemd = std::uint64_t{8} << 20;

std::vector<resources::TaskResources> tasks_with_gpus(std::size_t gpus) {
  std::vector<resources::TaskResources> tasks(2);
  for (auto& task : tasks) task.gpus.resize(gpus);
  return tasks;
}

MemoryLock small_lock() {
  MemoryLock lock;
  lock.bytes = default_of_systemd;
  lock.network.ports = {{"mlx5_core", "InfiniBand", 400}};
  lock.nodes = 2;
  return lock;
}

TEST(SmallMemlock, IsToldWhereNcclWillUseRdma) {
  EXPECT_EQ(small_memlock(tasks_with_gpus(1), small_lock(), {}),
            "tasks may lock only 8.0 MiB of memory, and NCCL over RDMA needs more: run `ulimit -l "
            "unlimited` before srun, or show your administrator row memlock of `muster doctor`");
  auto efa = small_lock();
  efa.network.ports.clear();
  efa.network.efa_devices = 4;
  EXPECT_NE(small_memlock(tasks_with_gpus(1), efa, {}), "");
}

TEST(SmallMemlock, MattersToNobodyWhoUsesNoRdma) {
  auto no_ports = small_lock();
  no_ports.network.ports.clear();
  auto one_node = small_lock();
  one_node.nodes = 1;
  EXPECT_EQ(small_memlock(tasks_with_gpus(1), no_ports, {}), "");
  EXPECT_EQ(small_memlock(tasks_with_gpus(1), one_node, {}), "");
  EXPECT_EQ(small_memlock(tasks_with_gpus(0), small_lock(), {}), "");
  EXPECT_EQ(small_memlock(tasks_with_gpus(1), small_lock(), {{"NCCL_IB_DISABLE", "1"}}), "");
  EXPECT_EQ(small_memlock(tasks_with_gpus(1), small_lock(), {{"NCCL_NET", "Socket"}}), "");
}

TEST(SmallMemlock, IsNotALargeOne) {
  auto lock = small_lock();
  lock.bytes = ~std::uint64_t{0};
  EXPECT_EQ(small_memlock(tasks_with_gpus(1), lock, {}), "");
}

}  // namespace
}  // namespace muster::remark
