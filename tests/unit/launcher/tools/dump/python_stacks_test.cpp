#include "launcher/tools/dump/python_stacks.hpp"

#include "fixtures/scratch_directory.hpp"
#include "launcher/agent/ranks/process.hpp"
#include "launcher/tools/dump/asked_stacks.hpp"
#include "unit/launcher/agent/ranks/script.hpp"

#include <fstream>

namespace muster::dump {
namespace {

using namespace std::chrono_literals;
using ranks::RecorderDoor;
using ranks::Script;

constexpr const char* with_door = R"(
import muster._recorder as recorder
recorder._sources = lambda: [1]
recorder.state = lambda only_numbers: {}
recorder.install()
)";

constexpr const char* says_ready = "print(\"ready\", flush=True)";

// A program with muster's real Python package. `where`: what its function here() does once it has said that
// it is ready.
class Program {
 public:
  explicit Program(const std::string& where, const std::string& before = with_door,
                   const std::string& ready = says_ready)
      : script_("exec /usr/bin/python3 -c 'import os, signal, time, ctypes" + before +
                    "\nimport muster\ndef here():\n  " + ready + "\n  " + where + "\nhere()'",
                {"SLURM_TASK_PID=1", "WORLD_SIZE=2", "PYTHONPATH=" MUSTER_SOURCE_DIR "/lib/python",
                 "PYTHONDONTWRITEBYTECODE=1"}) {
    EXPECT_EQ(script_.line(), "ready");
    door_ = RecorderDoor::find(script_.pid());
  }

  Stacks stacks(char state, SignalUse signal = SignalUse::careful, const std::string& py_spy = "") {
    PythonStacks python(py_spy, signal, 20s);
    if (door_) door_->ask_stacks();
    return python.of(script_.pid(), state, door_ ? &*door_ : nullptr, PythonStacks::Clock::now());
  }
  [[nodiscard]] pid_t pid() const { return script_.pid(); }
  std::string line() { return script_.line(); }

 private:
  Script script_;
  std::optional<RecorderDoor> door_;
};

std::string main_function(const Stacks& stacks) {
  for (const auto& thread : stacks.threads) {
    if (thread.main && !thread.frames.empty()) return thread.frames.front().function;
  }
  return "none: " + stacks.remark;
}

// From the moment when it is ready it holds the GIL.
constexpr const char* holds_gil_when_ready =
    "import sys; sys.setswitchinterval(1000); ctypes.PyDLL(None).write(1, b\"ready\\n\", 6)";
constexpr const char* hold_gil = "ctypes.PyDLL(None).sem_wait(ctypes.create_string_buffer(64))";

TEST(PythonStacks, AreThePackagesOwnBeforeThoseOfATool) {
  Program program("time.sleep(1000)");
  const fixtures::ScratchDirectory directory;
  const auto py_spy = directory.path("py-spy");
  std::ofstream(py_spy) << "#!/bin/sh\necho '[{\"frames\": [{\"name\": \"by_py_spy\"}]}]'\n";
  std::filesystem::permissions(py_spy, std::filesystem::perms::owner_all);
  for (int look = 0; look < 2; ++look) {
    const auto stacks = program.stacks('S', SignalUse::careful, py_spy);
    EXPECT_EQ(main_function(stacks), "here");
    EXPECT_EQ(stacks.tool, "muster");
    EXPECT_EQ(stacks.threads.size(), 1U) << "the thread that answers is not the program's";
    EXPECT_EQ(stacks.threads.at(0).name, "MainThread");
  }
}

TEST(PythonStacks, OfAProgramWhoseCCodeHoldsTheGilComeByTheSignal) {
  Program program(hold_gil, with_door, holds_gil_when_ready);
  const auto stacks = program.stacks('S');
  EXPECT_EQ(main_function(stacks), "here");
  EXPECT_EQ(stacks.tool, "faulthandler");
  EXPECT_EQ(stacks.remark, "its Python did not answer within 500 ms: C code may hold the GIL");
}

TEST(PythonStacks, OfAProgramThatComputesComeByTheSignalOnlyWhereTheStepHangsOrTheUserAsks) {
  Program program("exec(\"while True: pass\")", "");
  EXPECT_EQ(program.stacks('R').remark,
            "it is computing, and a signal might end it; --signal sends one anyway");
  EXPECT_EQ(main_function(program.stacks('R', SignalUse::hung)), "<module>");
  EXPECT_EQ(main_function(program.stacks('R', SignalUse::only)), "<module>");
}

TEST(PythonStacks, OfAStoppedProgramAreNoneAndNothingWaitsInIt) {
  Program program("time.sleep(1000)");
  kill(program.pid(), SIGSTOP);
  EXPECT_TRUE(
      ranks::comes_true([&] { return ranks::stat_of("/proc", program.pid())->state == 'T'; }));
  const auto stacks = program.stacks('T');
  EXPECT_TRUE(stacks.threads.empty());
  EXPECT_EQ(stacks.remark, "");
}

TEST(PythonStacks, SaySomethingOfAProgramThatHasTakenTheSignal) {
  Program program("time.sleep(1000)", "\nsignal.signal(signal.SIGRTMAX - 4, lambda *_: 0)");
  EXPECT_EQ(program.stacks('S').remark, "muster's start hook is not loaded in it");
}

TEST(PythonStacks, OfAForkedChildAreItsOwnAndComeByTheSignal) {
  Program program(
      "child = os.fork()\n  child and print(child, flush=True)\n  time.sleep(1000) if child else "
      "child_here()\ndef child_here():\n  time.sleep(1000)");
  const auto child = std::stoi(program.line());
  EXPECT_TRUE(ranks::comes_true([&] { return has_stacks_file(child); }));
  EXPECT_FALSE(RecorderDoor::find(child));
  EXPECT_EQ(main_function(program.stacks('S')), "here");
  EXPECT_EQ(main_function(PythonStacks("", SignalUse::careful, 20s)
                              .of(child, 'S', nullptr, PythonStacks::Clock::now())),
            "child_here");
  kill(child, SIGKILL);
}

}  // namespace
}  // namespace muster::dump
