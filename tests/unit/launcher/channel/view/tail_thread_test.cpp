#include "launcher/channel/view/tail_thread.hpp"

#include "fixtures/scratch_directory.hpp"

#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <asio/executor_work_guard.hpp>
#include <asio/io_context.hpp>
#include <gtest/gtest.h>

namespace muster::view {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Source first_rank{0, Stream::out};

class TailThreadTest : public testing::Test {
 protected:
  void SetUp() override {
    tail_.emplace(io_, std::vector<LogFile>{{first_rank, path_}}, 1,
                  [this](const OutputPiece& output) {
                    EXPECT_EQ(std::this_thread::get_id(), thread_);
                    sent_.push_back({output.offset, output.bytes});
                    return true;
                  });
    tail_->start();
  }

  void write(const std::string& bytes) { std::ofstream(path_, std::ios::app) << bytes; }

  template <class Condition>
  [[nodiscard]] bool soon(Condition condition) {
    const auto deadline = std::chrono::steady_clock::now() + seconds{30};
    while (!condition()) {
      if (io_.run_one_until(deadline) == 0) return false;
    }
    return true;
  }

  struct Piece {
    std::uint64_t offset;
    std::string bytes;

    friend bool operator==(const Piece&, const Piece&) = default;
  };

  const std::thread::id thread_ = std::this_thread::get_id();
  const fixtures::ScratchDirectory scratch_;
  const std::string path_ = scratch_.path("0.out");
  asio::io_context io_;
  asio::executor_work_guard<asio::io_context::executor_type> work_{io_.get_executor()};
  std::vector<Piece> sent_;
  std::optional<TailThread> tail_;
};

TEST_F(TailThreadTest, SendsInItsOwnersThreadWhatARankWrites) {
  tail_->connected();
  write("one");
  ASSERT_TRUE(soon([&] { return !sent_.empty(); }));
  EXPECT_EQ(sent_, (std::vector<Piece>{{0, "one"}}));
}

TEST_F(TailThreadTest, SendsAgainWhatANewConnectionLacksAndNothingOfTheOldOneInBetween) {
  tail_->connected();
  write("one");
  ASSERT_TRUE(soon([&] { return !sent_.empty(); }));
  write("two");
  std::this_thread::sleep_for(4 * Tail::interval);  // it has been read, and waits for its owner
  tail_->connected();
  sent_.clear();
  ASSERT_TRUE(soon([&] { return !sent_.empty(); }));
  EXPECT_EQ(sent_, (std::vector<Piece>{{0, "onetwo"}}));
}

TEST_F(TailThreadTest, SaysAtTheEndThatAllIsSentOrHowFarTheFilesGo) {
  tail_->connected();
  write("all");
  bool all = false;
  tail_->when_all_is_sent([&] { all = true; });
  ASSERT_TRUE(soon([&] { return all; }));
  EXPECT_EQ(sent_, (std::vector<Piece>{{0, "all"}}));
  const std::string much(std::size_t{1} << 20,
                         'x');  // more than may be in flight, but not so much that it is left out
  write(much);
  bool finished = false;
  all = false;
  tail_->when_all_is_sent([&] { all = true; });
  ASSERT_TRUE(soon([&] { return sent_.size() > 1; }));
  tail_->finish([&] { finished = true; });
  ASSERT_TRUE(soon([&] { return finished; }));
  EXPECT_FALSE(all);
  EXPECT_EQ(sent_.back(), (Piece{3 + much.size(), ""}));
}

TEST_F(TailThreadTest, SendsNothingOnceItHasGone) {
  tail_->connected();
  write("one");
  tail_.reset();
  io_.run_for(4 * Tail::interval);
  EXPECT_TRUE(sent_.empty());
}

}  // namespace
}  // namespace muster::view
