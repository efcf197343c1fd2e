// A change of the machine gives a different key; anything else gives the same.
#include "launcher/topology/cache/key.hpp"

#include "fixtures/scratch_directory.hpp"

#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

namespace muster::topology::cache {
namespace {

namespace fs = std::filesystem;

class ScanKey : public testing::Test {
 protected:
  ScanKey() {
    write("proc/sys/kernel/random/boot_id", "1d0e-7\n");
    write("sys/devices/system/cpu/online", "0-7\n");
    write("sys/devices/system/node/online", "0\n");
    fs::create_directories(root_.path("sys/bus/pci/devices/0000:01:00.0"));
    fs::create_directories(root_.path("sys/class/net"));
  }

  void write(const std::string& file, const std::string& text) const {
    fs::create_directories(fs::path(root_.path(file)).parent_path());
    root_.write(file, text);
  }

  std::string key(hwloc::Scan scan = hwloc::Scan::devices) const {
    return scan_key(scan, root_.path())->text;
  }

  fixtures::ScratchDirectory root_;
};

TEST_F(ScanKey, IsTheSameWhileNothingChanges) {
  EXPECT_EQ(key(), key());
  EXPECT_EQ(scan_key(hwloc::Scan::cpus, root_.path())->boot, "1d0e-7");
  EXPECT_NE(key(), key(hwloc::Scan::cpus));
}

TEST_F(ScanKey, ChangesWithTheBootAndTheProcessorsOnline) {
  const auto before = key(hwloc::Scan::cpus);
  write("sys/devices/system/cpu/online", "0-3\n");
  const auto fewer = key(hwloc::Scan::cpus);
  EXPECT_NE(fewer, before);
  write("proc/sys/kernel/random/boot_id", "2\n");
  EXPECT_NE(key(hwloc::Scan::cpus), fewer);
}

TEST_F(ScanKey, ChangesWithDevicesAndTheirDrivers) {
  auto before = key();
  const auto differs = [&] {
    const auto now = key();
    return std::exchange(before, now) != now;
  };
  fs::create_directories(root_.path("sys/bus/pci/devices/0000:02:00.0"));
  EXPECT_TRUE(differs());
  fs::create_directories(root_.path("sys/class/infiniband/mlx5_0"));
  EXPECT_TRUE(differs());
  fs::create_directories(root_.path("sys/class/drm/renderD128"));
  EXPECT_TRUE(differs());
  fs::create_directories(root_.path("sys/class/kfd/kfd/topology/nodes/1"));
  EXPECT_TRUE(differs());
  fs::create_directories(root_.path("proc/driver/nvidia/gpus/0000:02:00.0"));
  EXPECT_TRUE(differs());
  fs::create_directories(root_.path("proc/driver/nvidia/capabilities/gpu0/mig/gi1/ci0"));
  EXPECT_TRUE(differs());
  EXPECT_FALSE(differs());
}

TEST_F(ScanKey, IsNotMovedByContainersInterfacesAndScreens) {
  const auto before = key();
  fs::create_symlink("../../devices/virtual/net/veth7", root_.path("sys/class/net/veth7"));
  fs::create_directories(root_.path("sys/class/drm/card0-DP-1"));
  EXPECT_EQ(key(), before);
  fs::create_symlink("../../devices/pci0000:00/net/ib0", root_.path("sys/class/net/ib0"));
  EXPECT_NE(key(), before);
}

TEST_F(ScanKey, IsNoneWithoutABootToTellFromOthers) {
  fs::remove(root_.path("proc/sys/kernel/random/boot_id"));
  EXPECT_EQ(scan_key(hwloc::Scan::cpus, root_.path()), std::nullopt);
}

TEST_F(ScanKey, IsNoneWhereTheUserHasHwlocLookElsewhere) {
  setenv("HWLOC_SYNTHETIC", "pu:2", 1);
  EXPECT_EQ(scan_key(hwloc::Scan::cpus, root_.path()), std::nullopt);
  unsetenv("HWLOC_SYNTHETIC");
}

TEST_F(ScanKey, OfAFileChangesWithTheFile) {
  const auto file = root_.path("t.xml");
  EXPECT_EQ(file_key(file, root_.path()), std::nullopt);
  root_.write("t.xml", "one");
  const auto before = file_key(file, root_.path())->text;
  EXPECT_EQ(file_key(file, root_.path())->text, before);
  root_.write("t.xml", "three");
  EXPECT_NE(file_key(file, root_.path())->text, before);
}

}  // namespace
}  // namespace muster::topology::cache
