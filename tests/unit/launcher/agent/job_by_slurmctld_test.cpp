#include "launcher/agent/job_by_slurmctld.hpp"

#include <gtest/gtest.h>

namespace muster::agent {
namespace {

TEST(JobBySlurmctld, IsReadFromOneLineOfTwoWords) {
  EXPECT_EQ(signed_job("debug physics\n"), (SignedJob{"debug", "physics"}));
  EXPECT_EQ(signed_job("debug (null)\n"), (SignedJob{"debug", ""}));
  for (const auto* const line :
       {"", "\n", "debug", "debug ", " physics", "a b c", "slurm_load_jobs error: no"}) {
    EXPECT_EQ(signed_job(line), std::nullopt) << line;
  }
}

}  // namespace
}  // namespace muster::agent
