#include "core/hang/text.hpp"

#include "core/hang/compilers.hpp"

#include <gtest/gtest.h>

namespace muster::hang {
namespace {

using std::chrono::seconds;

dump::Dump hung_dump() {
  dump::Dump dump;
  dump.groups = {{.standing = dump::Standing::silent,
                  .ranks = {12},
                  .what = "stopped by a signal (state T)",
                  .node = "node1"},
                 {.standing = dump::Standing::suspect,
                  .ranks = {300, 301},
                  .what = "waiting",
                  .stack = {{"poll", "/usr/lib/python3/selectors.py", 415},
                            {"read", "/home/alice/data.py", 7}},
                  .node = "node19"},
                 {.standing = dump::Standing::waiting, .ranks = {0, 1, 2}, .what = "waiting"}};
  return dump;
}

TEST(Suspects, AreThoseWhoCannotGoOnAndThoseWhoAreElsewhere) {
  EXPECT_EQ(suspects(hung_dump()),
            "rank 12 on node1: stopped by a signal (state T); ranks 300-301: waiting, in poll "
            "(selectors.py:415), called by read (data.py:7)");
  EXPECT_EQ(suspected_node(hung_dump()), "node1");
}

TEST(Suspects, AreNotInventedWhereAllAreInOnePlace) {
  auto dump = hung_dump();
  dump.groups.erase(dump.groups.begin(), dump.groups.begin() + 2);
  EXPECT_EQ(suspects(dump), "all in the same place: ranks 0-2: waiting");
  EXPECT_EQ(suspected_node(dump), "");
  dump.groups.clear();
  EXPECT_EQ(suspects(dump), "");
}

TEST(Suspects, AreSaidToMoveWhereTheirStacksChange) {
  auto dump = hung_dump();
  dump.groups.resize(1);
  dump.groups[0] = {.standing = dump::Standing::suspect,
                    .ranks = {3},
                    .what = "computing or spinning",
                    .moves = true,
                    .cpu_percent = 99,
                    .node = "node2"};
  EXPECT_EQ(suspects(dump), "rank 3 on node2: computing or spinning, moving, CPU 99 %");
}

TEST(Suspects, OfManyGroupsAreCounted) {
  auto dump = hung_dump();
  for (int i = 0; i < 3; ++i) dump.groups.insert(dump.groups.begin(), dump.groups.front());
  EXPECT_TRUE(suspects(dump).ends_with("(state T); 2 more groups")) << suspects(dump);
}

TEST(HangLine, SaysWhatSinceWhenAndWho) {
  const std::chrono::system_clock::time_point now(seconds(1700000000));
  EXPECT_EQ(
      line({seconds(600), true}, {.time = seconds(610)}, now, "rank 1: waiting"),
      "hang=10+restart: no rank has made progress for 10 min 10 s, since 2023-11-14 22:03:10 UTC: rank 1: "
      "waiting");
  EXPECT_EQ(line({seconds(90), false}, {.time = seconds(91)}, now, ""),
            "hang=90s: no rank has made progress for 1 min 31 s, since 2023-11-14 22:11:49 UTC");
  EXPECT_TRUE(line({seconds(150), false}, {.time = seconds(155)}, now, "")
                  .starts_with("hang=150s: no rank has made progress for 2 min 35 s, since "));
}

TEST(Compilers, AreKnownByName) {
  for (const auto* program : {"cc1plus", "ptxas", "clang-18", "g++-13", "ld.lld"}) {
    EXPECT_TRUE(is_compiler(program)) << program;
  }
  for (const auto* program : {"python3", "clangd", "", "-", "gcc-", "pt_main_thread", "as-is"}) {
    EXPECT_FALSE(is_compiler(program)) << program;
  }
}

}  // namespace
}  // namespace muster::hang
