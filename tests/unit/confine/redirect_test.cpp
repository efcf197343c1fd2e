// In separate processes, whose streams may go anywhere.
#include "confine/redirect.hpp"

#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <utility>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace muster::confine {
namespace {

namespace fs = std::filesystem;

class RedirectOutput : public testing::Test {
 protected:
  RedirectOutput() : folder_(testing::TempDir() + "redirect-XXXXXX") {
    EXPECT_NE(mkdtemp(folder_.data()), nullptr);
  }
  ~RedirectOutput() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string file(const std::string& name) const { return folder_ + "/" + name; }

  [[nodiscard]] std::string made(const std::string& name, const std::string& text = {}) const {
    std::ofstream(file(name)) << text;
    return file(name);
  }

  [[nodiscard]] static std::string content(const std::string& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
  }

  // The exit code of a process that runs the body.
  [[nodiscard]] static int in_child(const std::function<bool()>& body) {
    const pid_t child = fork();
    if (child == 0) _exit(body() ? 0 : 1);
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  std::string folder_;
};

wire::TaskPlan writing(std::string output, std::string error = {}) {
  wire::TaskPlan task;
  task.output = std::move(output);
  task.error = std::move(error);
  return task;
}

bool put(int stream, const std::string& text) {
  return write(stream, text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

TEST_F(RedirectOutput, SendsEachStreamToItsFileBehindWhatIsThere) {
  const auto task = writing(made("out", "before "), made("err"));
  EXPECT_EQ(in_child([&] {
              return redirect_output(task).empty() && put(STDOUT_FILENO, "out") &&
                     put(STDERR_FILENO, "err");
            }),
            0);
  EXPECT_EQ(content(task.output), "before out");
  EXPECT_EQ(content(task.error), "err");
}

TEST_F(RedirectOutput, LeavesStreamsAloneForWhichThereIsNoFile) {
  const auto task = writing({}, made("err"));
  const auto before = made("before");
  EXPECT_EQ(in_child([&] {
              const int old = open(before.c_str(), O_WRONLY);
              dup2(old, STDOUT_FILENO);
              return redirect_output(task).empty() && put(STDOUT_FILENO, "as it was");
            }),
            0);
  EXPECT_EQ(content(before), "as it was");
}

TEST_F(RedirectOutput, LeavesTheProgramTheTwoStreamsAndNothingElse) {
  const auto task = writing(made("out"), made("err"));
  EXPECT_EQ(in_child([&] {
              const int next = dup(STDIN_FILENO);  // the lowest free one
              close(next);
              if (!redirect_output(task).empty()) return false;
              const int after = dup(STDIN_FILENO);
              return after == next && (fcntl(STDOUT_FILENO, F_GETFD) & FD_CLOEXEC) == 0;
            }),
            0);
}

TEST_F(RedirectOutput, MakesNoFile) {
  const auto task = writing(file("none"));
  EXPECT_EQ(redirect_output(task), "cannot open " + file("none") +
                                       " (No such file or directory); give logs= a directory that "
                                       "both the program and the node's agent can see");
  EXPECT_FALSE(fs::exists(task.output));
}

TEST_F(RedirectOutput, FollowsNoLink) {
  const auto other = made("other");
  fs::create_symlink(other, file("link"));
  EXPECT_NE(redirect_output(writing({}, file("link"))), "");
}

}  // namespace
}  // namespace muster::confine
