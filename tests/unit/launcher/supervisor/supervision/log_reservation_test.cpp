#include "launcher/supervisor/supervision/log_reservation.hpp"

#include "fixtures/scratch_directory.hpp"

#include <fstream>

#include <gtest/gtest.h>

namespace muster::supervision {
namespace {

namespace fs = std::filesystem;

const srun::Command training{{"srun", "-N2", "./train"}, 2};
const logs::AttemptName in_job{.job = {.number = "4711"}};

std::optional<fs::path> place(std::string_view logs, const srun::Command& command = training,
                              const logs::AttemptName& attempt = in_job) {
  return directory_to_reserve(logs, attempt, command, {});
}

TEST(LogReservation, IsOfADirectoryThatSeveralStepsMayName) {
  EXPECT_EQ(place("logs/%j"), fs::current_path() / "logs/4711");
  EXPECT_EQ(place("/scratch/%j"), "/scratch/4711");
  EXPECT_EQ(place("logs/%j", {{"srun", "--chdir=/data", "./train"}, 2}), "/data/logs/4711");
  EXPECT_FALSE(place("logs"));
  EXPECT_FALSE(place("logs/%J"));
  EXPECT_FALSE(place("logs/%j", training, {}));  // at a prompt
}

TEST(LogReservation, HoldsUntilTheStepHasItsOwnFiles) {
  const fixtures::ScratchDirectory root;
  const fs::path directory = root.path("logs/4711");
  {
    const LogReservation first(directory);
    EXPECT_FALSE(first.is_taken());
    EXPECT_TRUE(LogReservation(directory).is_taken());
    EXPECT_TRUE(LogReservation(directory).is_taken());  // a refused one removes nothing
    std::ofstream(directory / "rank-0.out") << "x";
  }
  EXPECT_FALSE(fs::exists(directory / logs::reservation));
  EXPECT_TRUE(LogReservation(directory).is_taken());
}

TEST(LogReservation, LeavesNoTraceOfAStepThatNeverBegan) {
  const fixtures::ScratchDirectory root;
  const fs::path directory = root.path("4711");
  { const LogReservation never(directory); }
  EXPECT_FALSE(fs::exists(directory));
}

TEST(LogReservation, KeepsADirectoryThatTheUserMade) {
  const fixtures::ScratchDirectory root;
  const fs::path directory = root.path("4711");
  fs::create_directory(directory);
  {
    const LogReservation own(directory);
    EXPECT_FALSE(own.is_taken());
  }
  EXPECT_TRUE(fs::exists(directory));
}

TEST(LogReservation, IsOfNothingWhereNoDirectoryCanBeMade) {
  EXPECT_FALSE(LogReservation("/proc/logs/4711").is_taken());
}

}  // namespace
}  // namespace muster::supervision
