#include "launcher/supervise/remarks.hpp"

#include <gtest/gtest.h>

namespace muster::supervise {
namespace {

TEST(Remarks, AreSilencedBySrunsOwnOption) {
  for (const auto* const option : {"-Q", "--quiet", "--quie", "-lQ", "-lQn2"}) {
    EXPECT_TRUE(is_quiet({{"srun", option, "./train"}, 2})) << option;
  }
}

TEST(Remarks, AreNotSilencedByALetterOfAnotherOptionsValueOrOfTheProgram) {
  for (const auto* const option : {"-wQ", "-n2", "--qos=Q", "--quit-on-interrupt", "Q"}) {
    EXPECT_FALSE(is_quiet({{"srun", option, "./train"}, 2})) << option;
  }
  EXPECT_FALSE(is_quiet({{"srun", "./train", "-Q"}, 1}));
}

}  // namespace
}  // namespace muster::supervise
