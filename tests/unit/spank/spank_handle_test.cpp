#include "spank/spank_handle.hpp"

#include "made_up_spank.hpp"

#include <gtest/gtest.h>

extern "C" {
#include <slurm/spank.h>
}

namespace muster::spank {
namespace {

class SpankHandle : public testing::Test {
 protected:
  SpankHandle() { made_up_spank() = {}; }

  SpankSlurm slurm_{nullptr};
};

TEST_F(SpankHandle, KnowsWhoseStepItIs) {
  const auto user = slurm_.identity();
  ASSERT_TRUE(user);
  EXPECT_EQ(user->uid, 1000U);
  EXPECT_EQ(user->gid, 1001U);
  EXPECT_EQ(user->groups, (std::vector<gid_t>{1001, 1002}));
}

TEST_F(SpankHandle, HasNoIdentityWhereSlurmDoesNotTellIt) {
  for (const int item : {S_JOB_UID, S_JOB_GID}) {
    made_up_spank().missing = {item};
    EXPECT_FALSE(slurm_.identity()) << item;
  }
  made_up_spank().missing = {S_JOB_SUPPLEMENTARY_GIDS};
  ASSERT_TRUE(slurm_.identity());
  EXPECT_TRUE(slurm_.identity()->groups.empty());
}

TEST_F(SpankHandle, LogsAndShowsForeignTextAsOneShortLine) {
  slurm_.error("muster: no\n\x1B[31mprogram");
  slurm_.notice("muster: careful\n" + std::string(100'000, 'x'));
  ASSERT_EQ(made_up_spank().lines.size(), 2U);
  EXPECT_EQ(made_up_spank().lines[0], "muster: no\\x0a\\x1b[31mprogram");
  EXPECT_TRUE(made_up_spank().lines[1].starts_with("muster: careful\\x0axxx"));
  EXPECT_LT(made_up_spank().lines[1].size(), 1100U);
}

}  // namespace
}  // namespace muster::spank
