#include "launcher/tools/page/read_run.hpp"

#include "core/explain/plan_view.hpp"
#include "core/page/page.hpp"
#include "core/report/json.hpp"
#include "fixtures/made_up_run.hpp"
#include "fixtures/scratch_directory.hpp"
#include "fixtures/well_formed.hpp"
#include "launcher/tools/page/bounded_file.hpp"

#include <cerrno>
#include <filesystem>

#include <gtest/gtest.h>
#include <sys/stat.h>

namespace muster::page {
namespace {

namespace fs = std::filesystem;

std::string same(std::string text) {
  return text;
}

class ReadRun : public testing::Test {
 protected:
  // A folder as a run leaves it.
  void add(std::uint32_t attempt, const std::string& folder) const {
    const auto made = fixtures::made_up_folder(attempt, same);
    fs::create_directories(scratch_.path(folder));
    scratch_.write(folder + "/plan.json", explain::to_json(*made.plan));
    scratch_.write(folder + "/report.json", to_json(made.report->report));
    for (const auto* const name : {"rank-0.out", "rank-0.err", "rank-3.out"})
      scratch_.write(folder + "/" + name, "text\n");
    scratch_.write(folder + "/rank-3.err", "the end\n");
  }
  [[nodiscard]] page::Run load(const std::string& name = ".") const {
    return read_run(find_run(scratch_.path(name)), true);
  }

  fixtures::ScratchDirectory scratch_;
};

TEST_F(ReadRun, HasAllAttemptsInOrder) {
  add(0, "42.0-attempt-0");
  add(1, "42.1-attempt-1");
  const auto run = load();
  ASSERT_EQ(run.folders.size(), 2U);
  EXPECT_EQ(run.folders[0].name, "42.0-attempt-0");
  EXPECT_EQ(run.folders[1].link, "./42.1-attempt-1/");
  EXPECT_EQ(run.folders[1].files.size(), 2U);
  EXPECT_EQ(run.folders[1].files.at(3).err->bytes, 8U);
  EXPECT_EQ(run.folders[0].tails.at(0).text, "the end\n");
  EXPECT_TRUE(run.problems.empty());
  EXPECT_EQ(run.other_runs, 0U);
}

TEST_F(ReadRun, FindsEarlierAttemptsWhereTheNamesAreTheUsers) {
  add(0, "a");
  add(1, "b");
  fs::create_symlink("b", scratch_.path("latest"));
  const auto run = load();
  ASSERT_EQ(run.folders.size(), 2U);
  EXPECT_EQ(run.folders[0].name, "a");
}

TEST_F(ReadRun, LinksRelativeToTheDirectoryThatWasNamed) {
  add(0, "42.0-attempt-0");
  add(1, "42.1-attempt-1");
  const auto run = load("42.1-attempt-1");
  EXPECT_EQ(run.folders[0].link, "../42.0-attempt-0/");
  EXPECT_EQ(run.folders[1].link, "./");
}

TEST_F(ReadRun, OfARunThatGoesOnHasTheAttemptsBefore) {
  add(0, "42.0-attempt-0");
  add(1, "42.1-attempt-1");
  fs::remove(scratch_.path("42.1-attempt-1/report.json"));
  const auto run = load();
  ASSERT_EQ(run.folders.size(), 2U);
  EXPECT_TRUE(is_open(run));
  EXPECT_FALSE(run.folders.back().damaged);
  EXPECT_TRUE(run.folders.front().report);
}

TEST_F(ReadRun, SaysWhatIsDamagedAndShowsTheRest) {
  add(0, "42.0-attempt-0");
  scratch_.write("42.0-attempt-0/report.json", "{\"version\": 1, \"res");
  scratch_.write("42.0-attempt-0/plan.json", "\x1b[2J");
  const auto run = load();
  ASSERT_EQ(run.problems.size(), 2U);
  EXPECT_EQ(
      run.problems[0],
      "42.0-attempt-0/report.json: it is not JSON, or it is truncated; the page does not show how the "
      "attempt ended");
  EXPECT_NE(run.problems[1].find("plan.json: it is not JSON"), std::string::npos);
  EXPECT_TRUE(run.folders.back().damaged);
  EXPECT_EQ(fixtures::fault_of_page(to_html(run)), "");
}

TEST_F(ReadRun, HasTheTimesOfTheRanksThatToldThem) {
  add(0, "42.0-attempt-0");
  const std::string good = "muster times 1\ntransport tcp\nnode node1\nphase 1 2 own ok join\n";
  scratch_.write("42.0-attempt-0/rank-0.times", good);
  scratch_.write("42.0-attempt-0/rank-1.times", "");  // the disk was full
  auto run = load();
  ASSERT_EQ(run.folders.back().bootstraps.size(), 1U);
  EXPECT_EQ(run.folders.back().bootstraps.at(0).transport, "tcp");
  EXPECT_TRUE(run.problems.empty());
  scratch_.write("42.0-attempt-0/rank-2.times", "\x1b[2J\n");
  scratch_.write("42.0-attempt-0/rank-3.times", good + std::string(20000, 'x'));
  fs::create_symlink(scratch_.path("42.0-attempt-0/rank-0.times"),
                     scratch_.path("42.0-attempt-0/rank-4.times"));
  run = load();
  EXPECT_EQ(run.folders.back().bootstraps.size(), 1U);
  ASSERT_EQ(run.problems.size(), 1U);
  EXPECT_EQ(
      run.problems[0],
      "42.0-attempt-0/rank-2.times: it is not in the format that libmuster writes; this rank and 2 more "
      "are left out "
      "of the bootstrap");
}

// No file from another place may appear in the page.
TEST_F(ReadRun, FollowsNoLinksToFilesElsewhere) {
  add(0, "42.0-attempt-0");
  const auto secret = scratch_.write("secret", "a secret\n");
  for (const auto* const name : {"rank-3.err", "report.json"}) {
    fs::remove(scratch_.path(std::string("42.0-attempt-0/") + name));
    fs::create_symlink(secret, scratch_.path(std::string("42.0-attempt-0/") + name));
  }
  const auto run = load();
  EXPECT_TRUE(run.folders.back().tails.empty());
  EXPECT_FALSE(run.folders.back().files.at(3).err);
  EXPECT_NE(run.problems.at(0).find("it is not a muster file"), std::string::npos);
  EXPECT_EQ(to_html(run).find("a secret"), std::string::npos);
}

TEST_F(ReadRun, WaitsForNoPipe) {
  add(0, "42.0-attempt-0");
  fs::remove(scratch_.path("42.0-attempt-0/rank-3.err"));
  ASSERT_EQ(mkfifo(scratch_.path("42.0-attempt-0/rank-3.err").c_str(), 0600), 0);
  EXPECT_EQ(load().folders.size(), 1U);
}

TEST_F(ReadRun, ReadsOnlyTheEndOfALargeFile) {
  const auto file = scratch_.write("large", "");
  fs::resize_file(file, std::uintmax_t{1} << 40);  // sparse
  {
    std::ofstream add(file, std::ios::app);
    add << "\nfirst\nlast\n";
  }
  EXPECT_EQ(end_of_file(file, 10), "last\n");
  EXPECT_TRUE(whole_file(file, 1 << 20).too_large);
  EXPECT_EQ(whole_file(scratch_.path("nowhere"), 10).error, ENOENT);
}

}  // namespace
}  // namespace muster::page
