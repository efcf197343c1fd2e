// Facts about devices, read from made-up /proc and /sys trees.
#include "core/topology/driver_facts.hpp"

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

namespace muster::topology {
namespace {

class LiveFacts : public testing::Test {
 protected:
  LiveFacts()
      : root_(std::filesystem::temp_directory_path() /
              ("muster-facts-" + std::to_string(getpid()))) {}
  ~LiveFacts() override { std::filesystem::remove_all(root_); }

  void write(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }

  Nic nic(const std::string& name, const std::vector<std::string>& networks) const {
    Topology topology;
    topology.nics.resize(1);
    topology.nics[0].name = name;
    topology.nics[0].networks = networks;
    return with_driver_facts(topology, root_).nics[0];
  }

  Gpu gpu(GpuVendor vendor) const {
    Topology topology;
    topology.gpus.resize(1);
    topology.gpus[0].vendor = vendor;
    topology.gpus[0].address = {0, 7, 0, 0};
    return with_driver_facts(topology, root_).gpus[0];
  }

  std::filesystem::path root_;
};

TEST_F(LiveFacts, NameANvidiaGpuByItsDriversTable) {
  write("proc/driver/nvidia/gpus/0000:07:00.0/information",
        "Model: \t\t NVIDIA H100\nIRQ:   \t\t 1\nGPU UUID: \t GPU-0294-90c8\nBus Type: \t PCIe\n");
  EXPECT_EQ(gpu(GpuVendor::nvidia).uuid, "GPU-0294-90c8");
  EXPECT_EQ(gpu(GpuVendor::intel).uuid, std::nullopt);
}

TEST_F(LiveFacts, DoNotTakeAnUnreadableUuidForOne) {
  write("proc/driver/nvidia/gpus/0000:07:00.0/information", "GPU UUID: \t GPU-????????\n");
  EXPECT_EQ(gpu(GpuVendor::nvidia).uuid, std::nullopt);
}

TEST_F(LiveFacts, NameAnAmdGpuByItsUniqueId) {
  write("sys/bus/pci/devices/0000:07:00.0/unique_id", "e850aef0615db971\n");
  EXPECT_EQ(gpu(GpuVendor::amd).uuid, "e850aef0615db971");
}

TEST_F(LiveFacts, TellAnActiveInfinibandPortAndItsSpeed) {
  write("sys/class/infiniband/mlx5_0/ports/1/state", "4: ACTIVE\n");
  write("sys/class/infiniband/mlx5_0/ports/1/rate", "400 Gb/sec (4X NDR)\n");
  write("sys/class/infiniband/mlx5_0/ports/1/link_layer", "InfiniBand\n");
  const Nic found = nic("mlx5_0", {});
  EXPECT_EQ(found.up, true);
  EXPECT_EQ(found.ports, std::vector<unsigned>{1});
  EXPECT_EQ(found.infiniband, true);
  EXPECT_EQ(found.gigabits, 400);
}

TEST_F(LiveFacts, CountANicAsUpWhenOneOfItsPortsIs) {
  write("sys/class/infiniband/mlx4_0/ports/1/state", "1: DOWN\n");
  EXPECT_EQ(nic("mlx4_0", {}).up, false);
  write("sys/class/infiniband/mlx4_0/ports/2/state", "4: ACTIVE\n");
  EXPECT_EQ(nic("mlx4_0", {}).up, true);
  EXPECT_EQ(nic("mlx4_0", {}).ports, std::vector<unsigned>{2});
}

TEST_F(LiveFacts, KeepNothingOfWhatPortsWereBefore) {
  write("sys/class/infiniband/mlx5_0/ports/1/state", "1: DOWN\n");
  Topology topology;
  topology.nics.push_back(
      {.name = "mlx5_0", .rdma = true, .up = true, .gigabits = 400, .ports = {1}});
  const Nic found = with_driver_facts(topology, root_).nics[0];
  EXPECT_EQ(found.up, false);
  EXPECT_EQ(found.gigabits, std::nullopt);
  EXPECT_TRUE(found.ports.empty());
}

TEST_F(LiveFacts, NameASlingshotNicByItsDevice) {
  std::filesystem::create_directories(root_ / "sys/class/cxi/cxi1");
  std::filesystem::create_symlink("../../../0000:c5:00.0", root_ / "sys/class/cxi/cxi1/device");
  Topology topology;
  topology.nics.push_back({.name = "hsn0", .address = {0, 0xc5, 0, 0}, .api = NicApi::cxi});
  EXPECT_EQ(with_driver_facts(topology, root_).nics[0].name, "cxi1");
  topology.nics[0].address = {0, 0xc6, 0, 0};
  EXPECT_EQ(with_driver_facts(topology, root_).nics[0].name, "hsn0");
}

TEST_F(LiveFacts, ReadASlingshotNicFromItsInterface) {
  write("sys/class/net/hsn0/operstate", "up\n");
  write("sys/class/net/hsn0/speed", "200000\n");
  const Nic found = nic("cxi0", {"hsn0"});
  EXPECT_EQ(found.up, true);
  EXPECT_EQ(found.gigabits, 200);
}

TEST_F(LiveFacts, LeaveUnknownWhatNoFileSays) {
  const Nic found = nic("mlx5_0", {"ib0"});
  EXPECT_EQ(found.up, std::nullopt);
  EXPECT_EQ(found.infiniband, std::nullopt);
  EXPECT_EQ(found.gigabits, std::nullopt);
}

}  // namespace
}  // namespace muster::topology
