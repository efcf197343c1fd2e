#include "launcher/agent/port/owner.hpp"

#include "fixtures/scratch_directory.hpp"

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

namespace muster::port {
namespace {

namespace fs = std::filesystem;

const std::string header =
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout "
    "inode\n";

std::string row(const std::string& local, const std::string& state, int uid, int inode) {
  return "   0: " + local + " 00000000:0000 " + state + " 00000000:00000000 00:00000000 00000000 " +
         std::to_string(uid) + " 0 " + std::to_string(inode) + " 1 0000000000000000 100 0 0 10 0\n";
}

class PortOwner : public testing::Test {
 protected:
  PortOwner() { fs::create_directories(scratch_.path("net")); }
  void table(const std::string& name, const std::string& rows) const {
    scratch_.write("net/" + name, header + rows);
  }
  void process(const std::string& pid, int inode) const {
    fs::create_directories(scratch_.path(pid + "/fd"));
    fs::create_symlink("/dev/null", scratch_.path(pid + "/fd/0"));
    fs::create_symlink("socket:[" + std::to_string(inode) + "]", scratch_.path(pid + "/fd/5"));
  }
  std::string owner() const { return describe_owner(29512, scratch_.path()); }  // 0x7348

  fixtures::ScratchDirectory scratch_;
};

TEST_F(PortOwner, IsTheProcessThatHasTheSocketAndItsUser) {
  table("tcp", row("00000000:0016", "0A", 0, 11) + row("00000000:7348", "0A", 0, 4711));
  process("12", 11);
  process("123", 4711);
  EXPECT_EQ(owner(), " by pid 123 (root)");
}

TEST_F(PortOwner, IsTheUserWhereTheProcessCannotBeSeen) {
  table("tcp", row("00000000:7348", "0A", 0, 4711));
  process("123", 1);
  EXPECT_EQ(owner(), " by root");
}

TEST_F(PortOwner, IsANumberWhereTheUserHasNoName) {
  table("tcp", row("00000000:7348", "0A", 3'999'999, 4711));
  EXPECT_EQ(owner(), " by uid 3999999");
}

TEST_F(PortOwner, IsFoundAmongTheSocketsOfIpVersion6Too) {
  table("tcp", "");
  table("tcp6", row("00000000000000000000000000000000:7348", "0A", 0, 4711));
  EXPECT_EQ(owner(), " by root");
}

TEST_F(PortOwner, IsTheListenerRatherThanAConnectionThatIsOverOrOpen) {
  table("tcp", row("0100007F:7348", "06", 0, 0) + row("0100007F:7348", "01", 3'999'999, 5) +
                   row("00000000:7348", "0A", 0, 4711));
  process("123", 4711);
  EXPECT_EQ(owner(), " by pid 123 (root)");
  // An open connection still belongs to a process; a finished one does not.
  table("tcp", row("0100007F:7348", "06", 0, 0) + row("0100007F:7348", "01", 3'999'999, 5));
  EXPECT_EQ(owner(), " by uid 3999999");
  table("tcp", row("0100007F:7348", "06", 0, 0));
  EXPECT_EQ(owner(), "");
}

TEST_F(PortOwner, IsNobodyWhereNothingCanBeTold) {
  EXPECT_EQ(owner(), "");
  table("tcp", row("00000000:7349", "0A", 0, 1) + row("7348:0000", "0A", 0, 2) + "nonsense\n\n" +
                   row("7348", "0A", 0, 3) + row(":", "0A", 0, 4));
  EXPECT_EQ(owner(), "");
}

}  // namespace
}  // namespace muster::port
