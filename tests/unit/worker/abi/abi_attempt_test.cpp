#include "muster/muster.h"
#include "muster/muster.hpp"

#include <cstdlib>

#include <gtest/gtest.h>

namespace {

int with(const char* value) {
  ::setenv("TORCHELASTIC_RESTART_COUNT", value, 1);
  return muster_restart_count();
}

TEST(RestartCount, IsWhatTheLauncherHasSet) {
  EXPECT_EQ(with("0"), 0);
  EXPECT_EQ(with("3"), 3);
  EXPECT_EQ(muster::restart_count(), 3);
}

TEST(RestartCount, IsZeroWithoutALauncher) {
  ::unsetenv("TORCHELASTIC_RESTART_COUNT");
  EXPECT_EQ(muster_restart_count(), 0);
}

TEST(RestartCount, IsZeroForWhatIsNoNumber) {
  for (const auto* const value : {"", "-1", "two", "2x", " 2", "99999999999999999999"}) {
    EXPECT_EQ(with(value), 0) << value;
  }
}

}  // namespace
