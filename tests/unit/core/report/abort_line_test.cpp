#include "core/report/abort_line.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::report {
namespace {

RankEnd end_with(std::vector<std::string> lines) {
  RankEnd end;
  end.last_lines = std::move(lines);
  return end;
}

TEST(AbortLine, IsTheWhatOfTheException) {
  EXPECT_EQ(abort_line(end_with({"[rank0]:[E515 21:28:59 x.cpp:1] broken", "terminate called",
                                 "  what():  boom", "(cleaning up)"})),
            "boom");
}

TEST(AbortLine, IsOtherwiseTorchsLastErrorPreferablyTheOneThatBlames) {
  EXPECT_EQ(abort_line(end_with({"[rank0]:[E515 21:28:59 x.cpp:1] first",
                                 "[rank0]:[F515 21:28:59 x.cpp:2] second",
                                 "[rank0]:[W515 21:28:59 x.cpp:3] a warning"})),
            "second");
  EXPECT_EQ(abort_line(end_with(
                {"[rank0]:[E515 21:28:59 x.cpp:1] Watchdog caught collective operation timeout",
                 "[rank0]:[F515 21:28:59 x.cpp:2] Terminating the process after a dump"})),
            "Watchdog caught collective operation timeout");
}

TEST(AbortLine, IsEmptyWithoutSuchALine) {
  EXPECT_EQ(abort_line(
                end_with({"[rank0]: KeyError: 'x'", "[rank0]:[E no end", "step 7", "  what():  "})),
            "");
  auto end = end_with({"  what():  boom"});
  end.last_lines_shared = true;
  EXPECT_EQ(abort_line(end), "");
}

}  // namespace
}  // namespace muster::report
