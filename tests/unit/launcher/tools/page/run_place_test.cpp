#include "launcher/tools/page/run_place.hpp"

#include "fixtures/expect_error.hpp"
#include "fixtures/scratch_directory.hpp"

#include <filesystem>

#include <gtest/gtest.h>

namespace muster::page {
namespace {

namespace fs = std::filesystem;

class RunPlaceTest : public testing::Test {
 protected:
  void add(const std::string& folder) const {
    fs::create_directories(scratch_.path(folder));
    scratch_.write(folder + "/rank-0.out", "");
  }
  void link(const std::string& where, const std::string& to) const {
    fs::create_symlink(to, scratch_.path(where + "/latest"));
  }
  RunPlace find(const std::string& name = ".") const { return find_run(scratch_.path(name)); }

  fixtures::ScratchDirectory scratch_;
};

TEST_F(RunPlaceTest, IsWhatTheLinkToTheNewestNames) {
  add("logs/4711.0-attempt-0");
  add("logs/4800.0-attempt-0");
  link("logs", "4711.0-attempt-0");
  const auto place = find("logs");
  EXPECT_EQ(place.newest, "4711.0-attempt-0");
  EXPECT_TRUE(place.is_parent);
  EXPECT_EQ(place.siblings.size(), 2U);
}

TEST_F(RunPlaceTest, IsTheFolderOfAnAttemptItself) {
  add("logs/4711.0-attempt-0");
  add("logs/4711.1-attempt-1");
  link("logs", "4711.1-attempt-1");
  EXPECT_EQ(find("logs/4711.0-attempt-0").newest, "4711.0-attempt-0");
  EXPECT_EQ(find("logs/latest").newest, "4711.1-attempt-1");
  EXPECT_FALSE(find("logs/latest").is_parent);
}

TEST_F(RunPlaceTest, IsTheNewestOfOneJobWithoutALink) {
  add("4711.9-attempt-0");
  add("4711.10-attempt-1");
  add("4711.11-attempt-2");
  EXPECT_EQ(find().newest, "4711.11-attempt-2");
}

TEST_F(RunPlaceTest, FollowsNoLinkThatLeadsElsewhere) {
  add("elsewhere/4711.0-attempt-0");
  fs::create_directories(scratch_.path("logs"));
  link("logs", "../elsewhere/4711.0-attempt-0");
  fixtures::expect_error([&] { find("logs"); }, "there is no run in it");
}

TEST_F(RunPlaceTest, NamesSomeOfSeveralRuns) {
  for (int job = 10; job < 30; ++job) add("logs/" + std::to_string(job) + ".0-attempt-0");
  const auto text = fixtures::error_of([&] { find("logs"); });
  EXPECT_TRUE(fixtures::is_one_line(text));
  EXPECT_NE(text.find("logs/10.0-attempt-0, "), std::string::npos) << text;
  EXPECT_NE(text.find("and 12 more"), std::string::npos) << text;
}

TEST_F(RunPlaceTest, NamesTheDirectoriesThatPatternsHaveMade) {
  add("logs/4711/step-0");
  add("logs/4712/step-0");
  link("logs/4711", "step-0");
  fixtures::expect_error([&] { find("logs"); }, "logs/4711, ");
  EXPECT_EQ(find("logs/4712").newest, "step-0");
}

TEST_F(RunPlaceTest, SaysWhyThereIsNone) {
  scratch_.write("file", "");
  fs::create_directories(scratch_.path("empty"));
  fixtures::expect_error([&] { find("nowhere"); },
                         "No such file or directory; name the directory that logs= created");
  fixtures::expect_error([&] { find("file"); }, "it is not a directory");
  fixtures::expect_error([&] { find("empty"); }, "there is no run in it");
}

TEST(FolderBefore, IsOfTheSameJobAndTheLastStepBefore) {
  const std::vector<std::string> all{"10.0-attempt-0",
                                     "10.1-attempt-0",
                                     "10.4-attempt-1",
                                     "10.5-attempt-0",
                                     "11.2-attempt-0",
                                     "10.2-run-1-attempt-0",
                                     "x"};
  EXPECT_EQ(folder_before("10.4-attempt-1", all), "10.1-attempt-0");
  EXPECT_EQ(folder_before("10.6-attempt-2", all), "10.4-attempt-1");
  EXPECT_FALSE(folder_before("10.0-attempt-0", all));
  EXPECT_FALSE(folder_before("x", all));
}

TEST(FolderOf, HasTheRunOfTheJob) {
  EXPECT_EQ(folder_of("4711.3-attempt-1", "4711.2", 0), "4711.2-attempt-0");
  EXPECT_EQ(folder_of("4711.3-run-2-attempt-1", "4711.2", 0), "4711.2-run-2-attempt-0");
}

}  // namespace
}  // namespace muster::page
