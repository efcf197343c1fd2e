#include "launcher/tools/preflight/local_facts.hpp"

#include "core/preflight/local.hpp"
#include "fixtures/scratch_directory.hpp"

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

namespace muster::preflight {
namespace {

namespace fs = std::filesystem;

class LocalFacts : public testing::Test {
 protected:
  void write(const std::string& path, const std::string& text) {
    const auto file = root() / path;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  [[nodiscard]] fs::path root() const { return scratch_.path(); }

 private:
  fixtures::ScratchDirectory scratch_;
};

TEST_F(LocalFacts, OfADiskAreOkAndLeaveNothingBehind) {
  const auto disk = root() / "disk";
  fs::create_directories(disk);
  const auto facts = local_facts({.surroundings = {.root = root()}, .disks = {disk}});
  EXPECT_EQ(facts.text("disk." + disk.string()), "ok");
  EXPECT_TRUE(fs::is_empty(disk));
}

TEST_F(LocalFacts, NameADiskThatIsNotThere) {
  const auto disk = root() / "gone";
  const auto facts = local_facts({.surroundings = {.root = root()}, .disks = {disk}});
  EXPECT_EQ(facts.text("disk." + disk.string()), "No such file or directory");
}

TEST_F(LocalFacts, SayHowFastTheInterfaceAndTheSlowestPortAre) {
  write("sys/class/net/ib0/speed", "100000\n");
  write("sys/class/net/ib0/carrier_changes", "3\n");
  write("sys/class/infiniband/mlx5_0/ports/1/state", "4: ACTIVE\n");
  write("sys/class/infiniband/mlx5_0/ports/1/rate", "400 Gb/sec (4X NDR)\n");
  write("sys/class/infiniband/mlx5_1/ports/1/state", "4: ACTIVE\n");
  write("sys/class/infiniband/mlx5_1/ports/1/rate", "2.5 Gb/sec (1X SDR)\n");
  const auto local =
      judge_node(local_facts({.surroundings = {.root = root()}, .interface = "ib0"}));
  EXPECT_EQ(
      local.counts,
      (Counts{
          {"ib.active", 2}, {"ib.rate", 2}, {"net.carrier_changes", 3}, {"net.speed", 100000}}));
}

TEST(Disks, AreTheOnesThatATrainingWritesToAndEachOnce) {
  const auto here = fs::current_path();
  EXPECT_EQ(disks_of({{"HOME", here.string()}}), (std::vector<fs::path>{"/tmp", here}));
  EXPECT_EQ(disks_of({{"TMPDIR", "/scratch"}, {"HOME", "/home/a"}}).front(), "/scratch");
}

}  // namespace
}  // namespace muster::preflight
