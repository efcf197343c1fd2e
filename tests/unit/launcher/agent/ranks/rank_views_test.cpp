#include "launcher/agent/ranks/rank_views.hpp"

#include "fixtures/scratch_directory.hpp"
#include "unit/launcher/agent/ranks/script.hpp"

#include <filesystem>
#include <fstream>

#include <fmt/format.h>

namespace muster::ranks {
namespace {

// A rank, for whose files there is a directory.
class RankViewsTest : public testing::Test {
 protected:
  RankViewsTest() { std::filesystem::create_directories(scratch_.path("step/0")); }

  std::vector<std::pair<std::size_t, std::filesystem::path>> look(const Script& script) {
    std::vector<Rank> ranks(1);
    ranks[0].process = Process::open(script.pid());
    return views_.look(ranks);
  }

  const fixtures::ScratchDirectory scratch_;
  RankViews views_{{scratch_.path("step/0/error.json")}};
};

TEST_F(RankViewsTest, IsNoOtherWhereTheRankSeesTheSame) {
  const Script rank("read line");
  EXPECT_TRUE(look(rank).empty());
}

// A rank with a file system of its own at `place`, where it has written a file when it says so.
std::string rank_with_own(const std::string& place) {
  return fmt::format(
      "exec unshare -m sh -c 'mount -t tmpfs none {0} && mkdir -p {0}/step/0 && echo there && read line && "
      "echo boom >{0}/step/0/error.json && echo written && read line && ls {0} && read line'",
      place);
}

TEST_F(RankViewsTest, IsReadableAfterTheRankHasEnded) {
  Script rank(rank_with_own(scratch_.path(".")));
  if (rank.line() != "there") GTEST_SKIP() << "only root can mount";
  const auto found = look(rank);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].first, 0U);
  EXPECT_TRUE(look(rank).empty());  // told once
  rank.go_on();
  EXPECT_EQ(rank.line(), "written");
  for (int i = 0; i < 2; ++i) rank.go_on();
  EXPECT_EQ(in_words(rank.status()), "code 0");
  EXPECT_FALSE(std::filesystem::exists(scratch_.path("step/0/error.json")));
  std::string text;
  std::ifstream(found[0].second) >> text;
  EXPECT_EQ(text, "boom");
}

TEST_F(RankViewsTest, LeavesNothingBehind) {
  Script rank(rank_with_own(scratch_.path(".")));
  if (rank.line() != "there") GTEST_SKIP() << "only root can mount";
  {
    std::vector<Rank> ranks(1);
    ranks[0].process = Process::open(rank.pid());
    RankViews views({scratch_.path("step/0/error.json")});
    ASSERT_EQ(views.look(ranks).size(), 1U);
    rank.go_on();
    EXPECT_EQ(rank.line(), "written");
  }
  rank.go_on();
  rank.go_on();
  EXPECT_EQ(rank.line(), "");  // of ls
  EXPECT_TRUE(std::filesystem::exists(scratch_.path("step/0")));
}

TEST_F(RankViewsTest, AreNoneOfRanksThatHaveEnded) {
  Script rank("true");
  EXPECT_EQ(in_words(rank.status()), "code 0");
  EXPECT_TRUE(views_.look(std::vector<Rank>(1)).empty());
}

}  // namespace
}  // namespace muster::ranks
