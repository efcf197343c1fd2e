#include "launcher/tools/dump/tools.hpp"

#include "fixtures/scratch_directory.hpp"
#include "launcher/agent/ranks/process.hpp"
#include "launcher/tools/dump/asked_stacks.hpp"
#include "unit/launcher/agent/ranks/script.hpp"

#include <csignal>
#include <fstream>

namespace muster::dump {
namespace {

using namespace std::chrono_literals;
using ranks::Script;

// A replacement for a tool.
class Tool {
 public:
  Tool(const std::string& name, const std::string& script) : path_(directory_.path(name)) {
    std::ofstream(path_) << "#!/bin/sh\n" << script << '\n';
    std::filesystem::permissions(path_, std::filesystem::perms::owner_all);
  }
  [[nodiscard]] std::string path() const { return path_; }
  [[nodiscard]] std::string directory() const { return directory_.path(); }

 private:
  fixtures::ScratchDirectory directory_;
  std::string path_;
};

TEST(FindProgram, LooksInEachPathInItsTurn) {
  const Tool tool("py-spy", "");
  EXPECT_EQ(find_program("py-spy", {"/nowhere:relative", "/nowhere:" + tool.directory()}),
            tool.path());
  EXPECT_EQ(find_program("py-spy", {"", "/nowhere"}), "");
}

TEST(PySpyStacks, AreWhatItPrints) {
  const Tool tool("py-spy",
                  R"(echo '[{"thread_name": "MainThread", "frames": [{"name": "'"$*"'"}]}]')");
  const auto stacks = py_spy_stacks(tool.path(), 42, 20s);
  ASSERT_EQ(stacks.threads.size(), 1U) << stacks.remark;
  EXPECT_EQ(stacks.threads[0].frames.at(0).function, "dump --json --nonblocking --pid 42");
  EXPECT_EQ(stacks.tool, "py-spy");
}

TEST(PySpyStacks, ThatAreNoneHaveAReason) {
  EXPECT_EQ(py_spy_stacks(Tool("py-spy", "echo 'Error: denied' >&2; exit 1").path(), 1, 20s).remark,
            "py-spy: Error: denied");
  EXPECT_EQ(py_spy_stacks(Tool("py-spy", "exit 1").path(), 1, 20s).remark,
            "py-spy: it printed nothing");
  EXPECT_EQ(py_spy_stacks(Tool("py-spy", "echo hello").path(), 1, 20s).remark,
            "py-spy's answer is not the JSON list that `py-spy dump --json` prints");
  EXPECT_FALSE(py_spy_stacks("/nowhere/py-spy", 1, 20s).remark.empty());
}

TEST(PySpyStacks, OfOneThatHangsAreGivenUp) {
  const Tool tool("py-spy", "trap '' TERM; sleep 1000 & wait; wait; wait");
  const auto stacks = py_spy_stacks(tool.path(), 1, 50ms);
  EXPECT_TRUE(stacks.hung);
  EXPECT_EQ(stacks.remark, "py-spy did not finish within 50 ms and was killed");
}

TEST(NativeStacks, LeaveNoProcessStoppedWhatBecomesOfTheTool) {
  Script script("echo ready; read end");
  ASSERT_EQ(script.line(), "ready");
  const Tool tool("gdb", "kill -STOP " + std::to_string(script.pid()) + "; exit 1");
  EXPECT_TRUE(debugger_stacks(tool.path(), script.pid(), 20s).threads.empty());
  EXPECT_TRUE(
      ranks::comes_true([&] { return ranks::stat_of("/proc", script.pid())->state == 'S'; }));
}

TEST(StacksSignal, IsInTheNameOfTheFileInMemory) {
  EXPECT_EQ(stacks_signal("/memfd:muster-stacks-60 (deleted)"), 60);
  for (const auto* const link : {"/memfd:muster-stacks-9 (deleted)",
                                 "/memfd:muster-stacks-600 (deleted)", "/memfd:muster-stacks-60",
                                 "/memfd:muster-stacks- (deleted)", "/tmp/muster-stacks-60", ""}) {
    EXPECT_FALSE(stacks_signal(link)) << link;
  }
}

TEST(Catches, ReadsTheMaskOfCaughtSignals) {
  const std::string status = "Name:\tsh\nSigIgn:\tffffffffffffffff\nSigCgt:\t0800000000010002\n";
  EXPECT_TRUE(catches(status, 60));
  EXPECT_TRUE(catches(status, 2));
  EXPECT_FALSE(catches(status, 59));
  EXPECT_FALSE(catches("Name:\tsh\n", 60));
  EXPECT_FALSE(catches("SigBlk:\t0800000000000000\n" + status, 60)) << "it would stay pending";
}

TEST(AskedStacks, SendNoSignalToAProcessThatIsNotPrepared) {
  Script script("echo ready; read end; echo goes on");
  ASSERT_EQ(script.line(), "ready");
  EXPECT_EQ(asked_stacks(script.pid(), 5s).remark, "muster's start hook is not loaded in it");
  script.go_on();
  EXPECT_EQ(script.line(), "goes on");
}

}  // namespace
}  // namespace muster::dump
