#include "launcher/agent/job_by_slurmctld.hpp"

#include <gtest/gtest.h>

namespace muster::agent {
namespace {

TEST(JobBySlurmctld, IsReadFromALineOfThreeWords) {
  EXPECT_EQ(signed_job("7 debug physics\n", 7), (SignedJob{"debug", "physics"}));
  EXPECT_EQ(signed_job("7 debug (null)\n", 7), (SignedJob{"debug", ""}));
  for (const auto* const output : {"", "\n", "7 debug", "7 debug ", "7  physics", "7 a b c",
                                   "77 debug physics", "slurm_load_jobs error: no"}) {
    EXPECT_EQ(signed_job(output, 7), std::nullopt) << output;
  }
}

// The tasks of an array may have been moved to different partitions and accounts.
TEST(JobBySlurmctld, IsTheTaskOfAnArrayThatWasAskedFor) {
  const auto* const array = "9 open chemistry\n8 open chemistry\n7 debug physics\n";
  EXPECT_EQ(signed_job(array, 7), (SignedJob{"debug", "physics"}));
  EXPECT_EQ(signed_job(array, 9), (SignedJob{"open", "chemistry"}));
}

}  // namespace
}  // namespace muster::agent
