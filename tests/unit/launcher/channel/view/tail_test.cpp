#include "launcher/channel/view/tail.hpp"

#include "fixtures/scratch_directory.hpp"

#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <asio/io_context.hpp>
#include <gtest/gtest.h>
#include <sys/stat.h>

namespace muster::view {
namespace {

using std::chrono::seconds;

constexpr Source rank_0{0, Stream::out};
constexpr Source rank_1{1, Stream::out};

class TailTest : public testing::Test {
 protected:
  LogFile file(const Source& source, bool shown = true) {
    return {source, directory_.path(std::to_string(source.rank) + ".out"), shown};
  }

  void write(const LogFile& file, const std::string& bytes) {
    std::ofstream(file.path, std::ios::app) << bytes;
  }

  void open(const std::vector<LogFile>& files) {
    tail_ = std::make_unique<Tail>(io_, files, 1, [this](OutputPiece piece) {
      if (!connected_) return false;
      messages_.push_back(std::move(piece));
      return true;
    });
    tail_->start();
  }

  // Runs the tail until the condition holds.
  template <class Condition>
  [[nodiscard]] bool soon(Condition condition) {
    const auto deadline = std::chrono::steady_clock::now() + seconds{30};
    while (!condition()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      io_.run_one();
    }
    return true;
  }

  [[nodiscard]] std::string sent(const Source& source) const {
    std::string bytes;
    for (const auto& message : messages_) {
      if (message.source == source) bytes += message.bytes;
    }
    return bytes;
  }

  asio::io_context io_;
  fixtures::ScratchDirectory directory_;
  std::unique_ptr<Tail> tail_;
  std::vector<OutputPiece> messages_;
  bool connected_ = true;
};

TEST_F(TailTest, SendsWhatARankWritesAsItComes) {
  const auto log = file(rank_0);
  open({log});  // before the file exists
  write(log, "one\n");
  ASSERT_TRUE(soon([&] { return sent(rank_0) == "one\n"; }));
  write(log, std::string("\0half", 5));
  ASSERT_TRUE(soon([&] { return sent(rank_0) == std::string("one\n\0half", 9); }));
  EXPECT_TRUE(tail_->sent_all());
}

TEST_F(TailTest, SendsNoMoreThanTheWindowUntilItIsShown) {
  const auto log = file(rank_0);
  const std::string text(3 * window(1), 'x');
  write(log, text);
  open({log});
  EXPECT_FALSE(tail_->sent_all());
  EXPECT_EQ(sent(rank_0).size(), window(1));
  while (sent(rank_0).size() < text.size()) {
    const auto before = sent(rank_0).size();
    tail_->shown(rank_0, before);
    ASSERT_GT(sent(rank_0).size(), before);
    ASSERT_LE(sent(rank_0).size(), before + window(1));
  }
  EXPECT_TRUE(tail_->sent_all());
  EXPECT_EQ(sent(rank_0), text);
}

TEST_F(TailTest, SharesTheWindowAmongTheRanks) {
  const auto loud = file(rank_0);
  const auto quiet = file(rank_1);
  write(loud, std::string(3 * window(1), 'x'));
  write(quiet, "quiet\n");
  open({loud, quiet});
  tail_->sent_all();
  EXPECT_EQ(sent(rank_1), "quiet\n");
}

TEST_F(TailTest, LeavesOutWhatHasBecomeOldAndGoesOnWithALine) {
  const auto log = file(rank_0);
  for (int line = 0; line < 6000; ++line) write(log, std::string(999, 'x') + "\n");
  open({log});
  EXPECT_TRUE(tail_->sent_all());
  const auto size = std::uint64_t{6000} * 1000;
  EXPECT_GT(messages_.front().offset, size - (65U << 10));
  EXPECT_EQ(messages_.front().offset % 1000, 0U);
  EXPECT_EQ(messages_.front().offset + sent(rank_0).size(), size);
}

TEST_F(TailTest, SendsAgainWhatMayBeLost) {
  const auto log = file(rank_0);
  write(log, "one\n");
  open({log});
  EXPECT_TRUE(tail_->sent_all());
  write(log, "two\n");
  tail_->shown(rank_0, 4);
  EXPECT_TRUE(tail_->sent_all());
  messages_.clear();
  tail_->connected();
  EXPECT_EQ(sent(rank_0), "two\n");
  EXPECT_EQ(messages_.front().offset, 4U);
}

TEST_F(TailTest, KeepsWhatItCannotSend) {
  const auto log = file(rank_0);
  write(log, "one\n");
  connected_ = false;
  open({log});
  EXPECT_FALSE(tail_->sent_all());
  connected_ = true;
  EXPECT_TRUE(tail_->sent_all());
  EXPECT_EQ(sent(rank_0), "one\n");
}

TEST_F(TailTest, SaysAtTheEndHowMuchItHasNotSent) {
  const auto log = file(rank_0);
  write(log, std::string(3 * window(1), 'x'));
  open({log});
  EXPECT_FALSE(tail_->sent_all());
  tail_->finish();
  EXPECT_EQ(messages_.back().offset, 3 * window(1));
  EXPECT_EQ(messages_.back().bytes, "");
}

TEST_F(TailTest, SendsTheEndOfARankThatFailsAndNothingElseOfIt) {
  const auto log = file(rank_1, false);
  write(log, std::string(100'000, 'x') + "no such file\n");
  open({log});
  EXPECT_TRUE(tail_->sent_all());
  EXPECT_TRUE(messages_.empty());
  tail_->failed(0);
  EXPECT_TRUE(messages_.empty());
  tail_->failed(1);
  ASSERT_EQ(messages_.size(), 1U);
  EXPECT_EQ(messages_[0].bytes.size(), Tail::max_end_bytes);
  EXPECT_TRUE(messages_[0].bytes.ends_with("xno such file\n"));
}

TEST_F(TailTest, ReadsNothingButAFile) {
  const auto log = file(rank_0);
  ASSERT_EQ(mkfifo(log.path.c_str(), 0600), 0);
  const auto link = file(rank_1);
  write({rank_0, directory_.path("elsewhere")}, "secret");
  std::filesystem::create_symlink(directory_.path("elsewhere"), link.path);
  open({log, link});
  EXPECT_TRUE(tail_->sent_all());
  tail_->finish();
  EXPECT_TRUE(messages_.empty());
}

TEST_F(TailTest, WaitsWhereAFileHasBecomeShorter) {
  const auto log = file(rank_0);
  write(log, "one\ntwo\n");
  open({log});
  EXPECT_TRUE(tail_->sent_all());
  std::filesystem::resize_file(log.path, 0);
  write(log, "new");
  EXPECT_TRUE(tail_->sent_all());
  write(log, " and more\n");
  EXPECT_TRUE(tail_->sent_all());
  EXPECT_EQ(sent(rank_0), "one\ntwo\nmore\n");
}

}  // namespace
}  // namespace muster::view
