#include "launcher/agent/ranks/written.hpp"

#include "fixtures/scratch_directory.hpp"
#include "unit/launcher/agent/ranks/script.hpp"

#include <fmt/format.h>

namespace muster::ranks {
namespace {

TEST(WrittenByRanks, IsWhatTheRankAndItsChildrenWrite) {
  const fixtures::ScratchDirectory scratch;
  const auto write = fmt::format("head -c 100000 /dev/zero > {}", scratch.path("file"));
  Script writer(fmt::format("sh -c '{}; echo done; read line'; :", write));
  Script idle("read line");
  Ranks ranks({{.rank = 0}, {.rank = 1}, {.rank = 2}}, "42.0", 0);
  ranks.started({.pids = {static_cast<std::uint32_t>(writer.pid()),
                          static_cast<std::uint32_t>(idle.pid()), 0}},
                std::chrono::steady_clock::now());
  ASSERT_EQ(writer.line(), "done");
  const auto written = written_by(ranks);
  ASSERT_EQ(written.size(), 3U);
  // The shell itself, and at least the one that it has started; head has ended.
  EXPECT_GE(written[0].size(), 2U);
  EXPECT_EQ(written[1].size(), 1U);
  EXPECT_EQ(written_between(written[1], written_by(ranks)[1]), 0);
  EXPECT_TRUE(written[2].empty());
}

}  // namespace
}  // namespace muster::ranks
