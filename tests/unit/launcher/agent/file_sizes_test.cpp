#include "launcher/agent/file_sizes.hpp"

#include "fixtures/scratch_directory.hpp"
#include "launcher/agent/node_counts.hpp"
#include "unit/launcher/agent/ranks/script.hpp"

#include <condition_variable>
#include <filesystem>
#include <memory>
#include <mutex>

#include <gtest/gtest.h>

namespace muster::agent {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr seconds generous{20};

// A file system that blocks until it is told to continue. Accesses to it may outlive the test.
class Door {
 public:
  void shut(bool is_shut) {
    const std::lock_guard lock(mutex_);
    is_shut_ = is_shut;
    changed_.notify_all();
  }
  void pass() {
    std::unique_lock lock(mutex_);
    ++entered_;
    changed_.wait(lock, [this] { return !is_shut_; });
  }
  int entered() {
    const std::lock_guard lock(mutex_);
    return entered_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_shut_ = false;
  int entered_ = 0;
};

class FileSizesTest : public testing::Test {
 protected:
  void TearDown() override { door_->shut(false); }

  const std::shared_ptr<Door> door_ = std::make_shared<Door>();
  FileSizes sizes_{[door = door_](const std::string& file) {
    door->pass();
    return size_of_file(file);
  }};
  const fixtures::ScratchDirectory scratch_;
};

TEST_F(FileSizesTest, AreThoseOfRegularFiles) {
  scratch_.write("out", "12345");
  const auto out = scratch_.path("out");
  const auto& found = sizes_.of({out, scratch_.path(""), scratch_.path("none")}, generous);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.at(out).bytes, 5);
}

TEST_F(FileSizesTest, AreTheLastOnesWhileTheFileSystemStandsStillAndNobodyWaits) {
  scratch_.write("out", "1");
  const auto out = scratch_.path("out");
  EXPECT_EQ(sizes_.of({out}, generous).at(out).bytes, 1);
  scratch_.write("out", "1234");
  door_->shut(true);
  EXPECT_EQ(sizes_.of({out}, milliseconds(10)).at(out).bytes, 1);
  const auto begin = steady_clock::now();
  for (int i = 0; i < 100; ++i) EXPECT_EQ(sizes_.of({out}, generous).at(out).bytes, 1);
  EXPECT_LT(steady_clock::now() - begin, generous);
  EXPECT_EQ(door_->entered(), 2) << "one look stands still, and not a hundred";
  door_->shut(false);
  EXPECT_TRUE(ranks::comes_true([&] { return sizes_.of({out}, generous).at(out).bytes == 4; }));
}

TEST_F(FileSizesTest, OfAFileSystemThatStandsStillDoNotHoldUpWhatElseANodeCounts) {
  door_->shut(true);
  const ranks::Ranks ranks({{.rank = 0, .local_rank = 0}}, "42.0", 0);
  const std::vector<view::LogFile> logs{{.source = {}, .path = scratch_.path("rank-0.out")}};
  const auto begin = steady_clock::now();
  const auto counts = count_node(ranks, logs, sizes_);
  EXPECT_LT(steady_clock::now() - begin, generous);
  EXPECT_TRUE(counts.signs.has_value());
  EXPECT_FALSE(counts.output.has_value());
}

}  // namespace
}  // namespace muster::agent
