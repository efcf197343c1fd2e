#include "launcher/agent/ranks/process_state.hpp"

#include "fixtures/scratch_directory.hpp"
#include "unit/launcher/agent/ranks/script.hpp"

#include <fstream>

namespace muster::ranks {
namespace {

using ranks::comes_true;
using ranks::Script;

TEST(ProcessState, IsTheKernels) {
  Script script("echo ready; read end");
  ASSERT_EQ(script.line(), "ready");
  EXPECT_TRUE(comes_true([&] { return process_state("/proc", script.pid()).state == 'S'; }));
  EXPECT_FALSE(process_state("/proc", script.pid()).wait.empty());
  EXPECT_EQ(program_name("/proc", script.pid()), "sh");
  EXPECT_FALSE(is_python("/proc", script.pid()));
  kill(script.pid(), SIGSTOP);
  EXPECT_TRUE(comes_true([&] { return process_state("/proc", script.pid()).state == 'T'; }));
}

TEST(ProcessState, OfASpinningProcessHasMoreCpuTimeLater) {
  Script script("echo ready; while :; do :; done");
  ASSERT_EQ(script.line(), "ready");
  const auto before = process_state("/proc", script.pid()).cpu_ms;
  EXPECT_TRUE(comes_true([&] { return process_state("/proc", script.pid()).cpu_ms > before; }));
}

TEST(ProcessState, OfAProcessThatHasGoneIsX) {
  EXPECT_EQ(process_state("/nowhere", 1).state, 'X');
}

std::string why(const std::string& scope, bool privileged) {
  const fixtures::ScratchDirectory proc;
  std::filesystem::create_directories(proc.path("sys/kernel/yama"));
  std::ofstream(proc.path("sys/kernel/yama/ptrace_scope")) << scope << '\n';
  return why_no_tracing(proc.path(), privileged);
}

TEST(Tracing, IsAllowedWithoutYamaAndAtScope0) {
  EXPECT_EQ(why_no_tracing("/nowhere", false), "");
  EXPECT_EQ(why("0", false), "");
}

TEST(Tracing, IsRefusedByAHigherScopeAndTheReasonIsSaid) {
  EXPECT_EQ(why("1", false),
            "kernel.yama.ptrace_scope is 1: only an ancestor process may read a rank's stacks");
  EXPECT_EQ(why("2", false),
            "kernel.yama.ptrace_scope is 2: none of your processes may read a rank's stacks");
  EXPECT_EQ(why("3", false), "kernel.yama.ptrace_scope is 3: nobody may read a rank's stacks");
}

TEST(Tracing, IsRefusedToRootByScope3Alone) {
  EXPECT_EQ(why("1", true), "");
  EXPECT_EQ(why("2", true), "");
  EXPECT_NE(why("3", true), "");
}

}  // namespace
}  // namespace muster::ranks
