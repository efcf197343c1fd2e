#include "launcher/supervisor/supervision/remarks.hpp"

#include <gtest/gtest.h>

namespace muster::supervision {
namespace {

TEST(Remarks, AreSilencedBySrunsOwnOption) {
  for (const auto* const option : {"-Q", "--quiet", "--quie", "-lQ", "-lQn2"}) {
    EXPECT_TRUE(is_quiet({{"srun", option, "./train"}, 2})) << option;
  }
}

TEST(Remarks, AreNotSilencedByALetterOfAnotherOptionsValueOrOfTheProgram) {
  for (const auto* const option : {"-wQ", "-n2", "--qos=Q", "--quit-on-interrupt", "Q", "-oQ"}) {
    EXPECT_FALSE(is_quiet({{"srun", option, "./train"}, 2})) << option;
  }
  EXPECT_FALSE(is_quiet({{"srun", "./train", "-Q"}, 1}));
  EXPECT_FALSE(is_quiet({{"srun", "-J", "-Q", "./train"}, 3}));
}

TEST(Remarks, AreSilencedForAllComponentsByOne) {
  EXPECT_TRUE(is_quiet({{"srun", "./a", ":", "-Q", "./b"}, 0}));
  EXPECT_FALSE(is_quiet({{"srun", "./a", ":", "./b", "-Q"}, 0}));
}

TEST(Remarks, KnowWhatRunsOnATerminalOfItsOwn) {
  EXPECT_TRUE(is_interactive({{"srun", "--pty", "bash"}, 2}));
  EXPECT_FALSE(is_interactive({{"srun", "bash", "--pty"}, 1}));
  EXPECT_FALSE(is_interactive({{"srun", "-n2", "bash"}, 2}));
}

}  // namespace
}  // namespace muster::supervision
