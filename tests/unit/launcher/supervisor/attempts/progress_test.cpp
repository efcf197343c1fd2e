#include "launcher/supervisor/attempts/progress.hpp"

#include "fixtures/scratch_directory.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::attempts {
namespace {

using std::chrono::steady_clock;
using namespace std::chrono_literals;

TEST(ProgressOf, ChangesWithTheBeginningTheEndAndTheSizeOfALongFile) {
  const fixtures::ScratchDirectory directory;
  const auto file = directory.path("log");
  const auto progress = [&file](const std::string& text) {
    std::ofstream(file) << text;
    return progress_of(file);
  };
  const std::string log(100'000, '\n');
  const auto before = progress(log);
  EXPECT_EQ(progress(log), before);
  EXPECT_NE(progress("step 1" + log), before);
  EXPECT_NE(progress(log + '\n'), before);
  EXPECT_NE(progress(log.substr(1) + "2"), before);
  EXPECT_LT(before.size(), 9000U);
  EXPECT_EQ(progress("step 3\n"), "step 3\n");
  EXPECT_EQ(progress_of(directory.path("missing")), "");
}

class ProgressWatchTest : public ::testing::Test {
 protected:
  void write(const std::string& text) const {
    std::ofstream(file_ + ".new") << text;
    std::filesystem::rename(file_ + ".new", file_);
  }
  // Writes, and waits until that has been seen.
  void write_seen(const std::string& text) {
    const auto before = watch_.marks().marks().size();
    write(text);
    await(before + 1);
  }
  void await(std::size_t marks) const {
    for (int i = 0; i < 500 && watch_.marks().marks().size() < marks; ++i)
      std::this_thread::sleep_for(10ms);
  }
  void start() {
    watch_.start();
    std::this_thread::sleep_for(20ms);
  }

  const fixtures::ScratchDirectory directory_;
  const std::string file_ = directory_.path("progress");
  const steady_clock::time_point start_ = steady_clock::now() - 100s;
  ProgressWatch watch_{file_, start_};
};

TEST_F(ProgressWatchTest, NotesWhenTheFileWasWrittenAndItsNumber) {
  write("137\n");  // by an earlier attempt
  start();
  write_seen("101\n");
  write_seen("{\"step\": 102}\n");
  watch_.stop();
  const auto marks = watch_.marks().marks();
  ASSERT_EQ(marks.size(), 2U);
  EXPECT_EQ(marks[0].step, 101);
  EXPECT_EQ(marks[1].step, 102);
  EXPECT_GE(marks[0].time, 100s);
  EXPECT_LT(marks[1].time, 110s);
}

TEST_F(ProgressWatchTest, LooksOnceMoreAtTheEnd) {
  start();
  write("7");
  watch_.stop();
  ASSERT_EQ(watch_.marks().marks().size(), 1U);
}

TEST_F(ProgressWatchTest, TakesAnythingElseForAChangeWithoutANumber) {
  start();
  write_seen(std::string("PK\3\4\0step 12", 12));
  write_seen(std::string(std::size_t{1} << 20, '9'));
  write_seen("");
  watch_.stop();
  for (const auto& mark : watch_.marks().marks()) EXPECT_FALSE(mark.step);
}

TEST_F(ProgressWatchTest, ReadsNoPipeAndNoDirectory) {
  ASSERT_EQ(mkfifo(file_.c_str(), 0600), 0);
  start();
  std::this_thread::sleep_for(120ms);
  ASSERT_EQ(unlink(file_.c_str()), 0);
  std::filesystem::create_directory(file_);
  std::this_thread::sleep_for(120ms);
  watch_.stop();
  EXPECT_TRUE(watch_.marks().marks().empty());
}

TEST_F(ProgressWatchTest, NeedsNoFile) {
  start();
  watch_.stop();
  EXPECT_TRUE(watch_.marks().marks().empty());
}

}  // namespace
}  // namespace muster::attempts
