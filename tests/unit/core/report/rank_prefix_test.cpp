#include "core/report/rank_prefix.hpp"

#include <gtest/gtest.h>

namespace muster::report {
namespace {

TEST(RankPrefix, IsTakenFromTheBeginningOfALine) {
  EXPECT_EQ(without_rank("[rank3]: KeyError: 'x'"), "KeyError: 'x'");
  EXPECT_EQ(without_rank("[rank13]:[E x.cpp:1] boom"), "[E x.cpp:1] boom");
  EXPECT_EQ(without_rank("[rank3]:"), "");
  EXPECT_TRUE(has_rank("[rank3]: x"));
}

TEST(RankPrefix, HasANumberAndAColon) {
  for (const auto* const line :
       {"", "[rank", "[rank]: x", "[rank3", "[rank3] x", "rank3: x", "[rankx]: y"}) {
    EXPECT_EQ(without_rank(line), line);
    EXPECT_FALSE(has_rank(line)) << line;
  }
}

}  // namespace
}  // namespace muster::report
