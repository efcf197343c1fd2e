#include "launcher/slurm/removal.hpp"

#include <gtest/gtest.h>

namespace muster::slurm {
namespace {

using std::chrono::seconds;

TEST(TimeToRemove, IsWellBeforeSlurmMayCallTheNodeDown) {
  EXPECT_EQ(time_to_remove(seconds{300}), seconds{150});
  EXPECT_EQ(time_to_remove(seconds{1}), seconds{0});
}

TEST(TimeToRemove, IsNeverWhereSlurmCallsNoNodeDown) {
  EXPECT_EQ(time_to_remove(seconds{0}), std::nullopt);
}

TEST(SlurmdTimeout, IsReadFromSlurmsConfiguration) {
  EXPECT_EQ(slurmd_timeout("SlurmctldTimeout        = 120 sec\nSlurmdTimeout           = 60 sec\n"),
            seconds{60});
  EXPECT_EQ(slurmd_timeout("SlurmdTimeout           = 0 sec\n"), seconds{0});
  EXPECT_EQ(slurmd_timeout("scontrol: error: no controller"), std::nullopt);
}

}  // namespace
}  // namespace muster::slurm
