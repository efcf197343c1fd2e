#include "launcher/supervisor/attempts/standard_input.hpp"

#include <array>
#include <string>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

namespace muster::attempts {
namespace {

using srun::Command;
using testing::ElementsAre;

TEST(StandardInput, SrunReadsItsOwnUnlessAFileOrNothingIsNamed) {
  EXPECT_TRUE(reads_input({{"srun", "a"}, 1}, {}));
  EXPECT_TRUE(reads_input({{"srun", "-i", "all", "a"}, 3}, {}));
  EXPECT_TRUE(reads_input({{"srun", "--input=3", "a"}, 2}, {}));
  EXPECT_TRUE(reads_input({{"srun", "a", "-i", "file"}, 1}, {}));
  EXPECT_FALSE(reads_input({{"srun", "-inone", "a"}, 2}, {}));
  EXPECT_FALSE(reads_input({{"srun", "--input", "in.txt", "a"}, 3}, {}));
  EXPECT_FALSE(reads_input({{"srun", "a"}, 1}, {{"SLURM_STDINMODE", "in.txt"}}));
  EXPECT_TRUE(reads_input({{"srun", "-iall", "a"}, 2}, {{"SLURM_STDINMODE", "in.txt"}}));
}

// Standard input for the time of a test.
class InputTest : public testing::Test {
 protected:
  InputTest() : before_(dup(STDIN_FILENO)) {}
  ~InputTest() override { dup2(before_.get(), STDIN_FILENO); }

  static std::string read_all() {
    std::string text(100, 0);
    const auto size = read(STDIN_FILENO, text.data(), text.size());
    return text.substr(0, size < 0 ? 0 : static_cast<std::size_t>(size));
  }

  // A pipe with this text in it becomes the standard input. Returns the end that writes.
  static os::Descriptor pipe_with(const std::string& text) {
    std::array<int, 2> ends{};
    EXPECT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
    const os::Descriptor reading(ends[0]);
    dup2(reading.get(), STDIN_FILENO);
    EXPECT_EQ(write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
    return os::Descriptor(ends[1]);
  }

 private:
  const os::Descriptor before_;
};

TEST_F(InputTest, OfAFileIsLeftFromItsFirstPosition) {
  const os::Descriptor file(memfd_create("input", MFD_CLOEXEC));
  ASSERT_EQ(write(file.get(), "before text", 11), 11);
  dup2(file.get(), STDIN_FILENO);
  lseek(STDIN_FILENO, 7, SEEK_SET);
  const StandardInput input(true);
  EXPECT_EQ(read_all(), "text");
  EXPECT_TRUE(input.leave_to_next_program());
  EXPECT_EQ(read_all(), "text");
}

TEST_F(InputTest, OfAPipeThatNobodyHasReadIsLeft) {
  auto writing = pipe_with("text");
  const StandardInput input(true);
  EXPECT_TRUE(input.leave_to_next_program());
  EXPECT_EQ(read_all(), "text");
}

TEST_F(InputTest, OfAPipeThatHasEndedIsLeftAgain) {
  auto writing = pipe_with("text");
  writing = os::Descriptor();
  StandardInput input(true);
  input.prepare();
  const os::Descriptor srun(dup(STDIN_FILENO));
  input.start();
  std::string read_by_srun;
  std::array<char, 100> some{};
  for (ssize_t size = 0; (size = read(srun.get(), some.data(), some.size())) > 0;)
    read_by_srun.append(some.data(), static_cast<std::size_t>(size));
  input.finish();
  EXPECT_EQ(read_by_srun, "text");
  EXPECT_TRUE(input.leave_to_next_program());
  EXPECT_EQ(read_all(), "text");
  EXPECT_EQ(read_all(), "");
}

TEST_F(InputTest, OfAPipeThatIsStillWrittenCannotBeLeft) {
  const auto writing = pipe_with("text");
  StandardInput input(true);
  input.prepare();
  const os::Descriptor srun(dup(STDIN_FILENO));
  input.start();
  std::array<char, 4> some{};
  EXPECT_EQ(read(srun.get(), some.data(), some.size()), 4);
  input.finish();
  EXPECT_FALSE(input.leave_to_next_program());
}

}  // namespace
}  // namespace muster::attempts
