#include "launcher/channel/view/display.hpp"

#include "launcher/os/descriptor.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace muster::view {
namespace {

using std::chrono::seconds;

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    EXPECT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
    read = os::Descriptor(ends[0]);
    write = os::Descriptor(ends[1]);
  }

  // Everything that can be read now, without waiting for more.
  std::string take() {
    fcntl(read.get(), F_SETFL, O_NONBLOCK);
    std::string bytes;
    std::array<char, 4096> buffer{};
    for (ssize_t count = 0; (count = ::read(read.get(), buffer.data(), buffer.size())) > 0;) {
      bytes.append(buffer.data(), static_cast<std::size_t>(count));
    }
    return bytes;
  }

  os::Descriptor read;
  os::Descriptor write;
};

class DisplayTest : public testing::Test {
 protected:
  // As in the supervisor, which blocks every signal: an abandoned display's thread may still write.
  DisplayTest() { std::signal(SIGPIPE, SIG_IGN); }

  void open(const option::View& view, option::Prefix prefix = option::Prefix::auto_) {
    display_ = std::make_unique<Display>(
        Wanted{.view = view,
               .prefix = prefix,
               .screen = {},
               .descriptors = {out_.write.get(), err_.write.get()},
               .place = [](const auto& source) { return "rank-" + std::to_string(source.rank); }},
        [this](const auto& source, auto offset, auto bytes) {
          const std::lock_guard lock(mutex_);
          shown_[source] = std::max(shown_[source], offset);
          bytes_ += bytes;
        });
    display_->start();
  }

  void add(const Source& source, const std::string& bytes, std::uint64_t offset = 0) {
    display_->add({source, offset, bytes, "node1"}, 4);
  }

  template <class Condition>
  [[nodiscard]] static bool soon(Condition condition) {
    const auto deadline = std::chrono::steady_clock::now() + seconds{30};
    while (!condition()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds{5});
    }
    return true;
  }

  std::uint64_t shown(const Source& source) {
    const std::lock_guard lock(mutex_);
    return shown_[source];
  }

  std::size_t bytes() {
    const std::lock_guard lock(mutex_);
    return bytes_;
  }

  static constexpr Source out{0, Stream::out};
  static constexpr Source err{0, Stream::err};
  const option::View first_{};
  const option::View all_{.show = option::View::Show::all};
  Pipe out_;
  Pipe err_;
  std::unique_ptr<Display> display_;

 private:
  std::mutex mutex_;
  std::map<Source, std::uint64_t> shown_;
  std::size_t bytes_ = 0;
};

TEST_F(DisplayTest, WritesEachStreamWhereItBelongsAndSaysSo) {
  open(first_);
  add(out, "\r 10%");
  add(err, "error\n");
  ASSERT_TRUE(soon([&] { return shown(out) == 5 && shown(err) == 6; }));
  EXPECT_EQ(out_.take(), "\r 10%");
  EXPECT_EQ(err_.take(), "error\n");
  EXPECT_EQ(bytes(), 11U);
}

TEST_F(DisplayTest, ShowsEachByteOnceAndAcknowledgesItAgain) {
  open(first_);
  add(out, "abc");
  ASSERT_TRUE(soon([&] { return shown(out) == 3; }));
  add(out, "abc");
  EXPECT_EQ(bytes(), 6U);  // its room is free again
  add(out, "cd", 2);
  display_->finish(false);
  EXPECT_EQ(out_.take(), "abcd");
  EXPECT_EQ(bytes(), 8U);
}

TEST_F(DisplayTest, SaysWhatTheAgentHasLeftOut) {
  open(first_);
  add(out, "abc", 20'000'000);
  display_->finish(false);
  EXPECT_EQ(out_.take(), "abc");
  EXPECT_EQ(
      err_.take(),
      "muster: warning: 19.1 MiB of rank 0's output was not shown; the complete output is in rank-0\n");
}

TEST_F(DisplayTest, EndsWithAllThatHasCome) {
  open(all_);
  add({0, Stream::out}, "same\nhalf");
  add({1, Stream::out}, "same\n");
  display_->finish(false);
  EXPECT_EQ(out_.take(), "[0-1] same\n[0] half\n");
}

TEST_F(DisplayTest, WaitsForNoReaderThatDoesNotRead) {
  open(first_);
  const std::string much(200'000, 'x');
  add(out, much);
  add(out, "", 5'000'000);
  testing::internal::CaptureStderr();
  display_->finish(false);
  EXPECT_EQ(
      testing::internal::GetCapturedStderr(),
      "muster: warning: 4.8 MiB of rank 0's output was not shown; the complete output is in rank-0\n");
  EXPECT_EQ(shown(out), 0U);  // until then the agent sends no more
  EXPECT_FALSE(out_.take().empty());
}

TEST_F(DisplayTest, GoesOnWithTheOtherStreamWhereOneTakesNothing) {
  open(first_);
  out_.read = os::Descriptor();
  add(out, "abc");
  ASSERT_TRUE(soon([&] { return shown(out) == 3; }));
  add(out, "def", 3);
  add(err, "error\n");
  display_->finish(false);
  EXPECT_EQ(
      err_.take(),
      "muster: warning: cannot write to standard output: Broken pipe; the live view continues without "
      "it\nerror\n");
  EXPECT_EQ(shown(out), 6U);
}

TEST_F(DisplayTest, KeepsTheEndOfARankThatIsNotInView) {
  open(first_);
  add({3, Stream::out}, "cut\nlast\x1b[2J\n", 100);
  EXPECT_EQ(shown({3, Stream::out}), 100U + 13U);
  display_->finish(false);
  EXPECT_EQ(out_.take(), "");
  testing::internal::CaptureStdout();
  display_->show_end(2);
  display_->show_end(3);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "[3] last\\x1b[2J\n");
}

TEST_F(DisplayTest, EndsAtOnceWhereItWasNeverStarted) {
  Display display({.view = {}, .screen = {}, .place = {}}, {});
  display.finish(false);
}

}  // namespace
}  // namespace muster::view
