#include "core/page/read_times.hpp"

#include "fixtures/expect_error.hpp"

#include <gtest/gtest.h>

namespace muster::page {
namespace {

using std::chrono::microseconds;

const std::string good =
    "muster times 1\ntransport pmix\nnode node2\nphase 17 42 own ok join\nphase 43 99 all failed exchange 'a b'\n";

TEST(ReadTimes, BringsPhasesBack) {
  const auto read = read_times(good);
  EXPECT_EQ(read.transport, "pmix");
  EXPECT_EQ(read.node, "node2");
  EXPECT_EQ(read.phases, (std::vector<BootPhase>{
                             {microseconds(17), microseconds(42), false, false, "join"},
                             {microseconds(43), microseconds(99), true, true, "exchange 'a b'"}}));
}

TEST(ReadTimes, LeavesOutALineThatIsCutOffAndWordsOfALaterRelease) {
  EXPECT_EQ(read_times(good + "phase 100 1").phases.size(), 2U);
  EXPECT_EQ(read_times(good + "weather fine\nphase 100 101 own ok leave\n").phases.size(), 3U);
  EXPECT_TRUE(read_times("").phases.empty()) << "the disk was full";
  EXPECT_TRUE(read_times("muster ti").phases.empty());
}

TEST(ReadTimes, RefusesWhatLibmusterDoesNotWrite) {
  for (const auto* const wrong :
       {"muster times 2\n", "\x1b[2J\n", "\n", "phase 1 2 own ok join\n"}) {
    fixtures::expect_error([&] { read_times(wrong); },
                           "it is not in the format that libmuster writes");
  }
  for (const auto* const wrong :
       {"1", "1 2", "1 2 own", "1 2 own ok", "1 2 own ok ", "2 1 own ok join", "-1 2 own ok join",
        "1 2 one ok join", "1 2 own fine join", "1 99999999999999999 own ok join",
        "1.5 2 own ok join"}) {
    const auto text = "muster times 1\nphase " + std::string(wrong) + "\n";
    fixtures::expect_error([&] { read_times(text); },
                           "it is not in the format that libmuster writes");
  }
}

TEST(ReadTimes, KeepsNoMoreThanThereCanBe) {
  std::string text = "muster times 1\nnode " + std::string(5000, 'n') + "\n";
  for (int i = 0; i < 200; ++i) text += "phase 1 2 own ok " + std::string(999, 'p') + "\n";
  const auto read = read_times(text);
  EXPECT_EQ(read.node.size(), 255U);
  EXPECT_EQ(read.phases.size(), 64U);
  EXPECT_EQ(read.phases.back().name.size(), 255U);
}

}  // namespace
}  // namespace muster::page
