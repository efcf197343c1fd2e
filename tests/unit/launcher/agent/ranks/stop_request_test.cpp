#include "launcher/agent/ranks/stop_request.hpp"

#include <gtest/gtest.h>

namespace muster::ranks {
namespace {

ProgramProcess python(pid_t pid, pid_t parent, bool handles) {
  return {.pid = pid, .parent = parent, .handles_it = handles, .is_python = true};
}

ProgramProcess shell(pid_t pid, pid_t parent, bool handles = false) {
  return {.pid = pid, .parent = parent, .handles_it = handles, .is_shell = true};
}

ProgramProcess starter(pid_t pid, pid_t parent, bool handles = false) {
  return {.pid = pid, .parent = parent, .handles_it = handles, .is_starter = true};
}

ProgramProcess other(pid_t pid, pid_t parent, bool handles) {
  return {.pid = pid, .parent = parent, .handles_it = handles};
}

using Pids = std::set<pid_t>;

TEST(StopRequest, SparesTheWorkersOfAPythonProgramThatHandlesIt) {
  // 11 and 12: workers of its DataLoader; 13: wandb's helper process, with a child of its own
  EXPECT_EQ(
      spared_from_signal({10}, {python(10, 1, true), python(11, 10, true), python(12, 10, false),
                                other(13, 10, true), other(14, 13, false)}),
      (Pids{11, 12, 13, 14}));
}

TEST(StopRequest, SparesNobodyBelowAPythonProgramThatDoesNotHandleIt) {
  EXPECT_EQ(
      spared_from_signal({10}, {python(10, 1, false), python(11, 10, true), other(12, 10, true)}),
      Pids{});
}

TEST(StopRequest, SparesTheShellsAboveAProgramThatHandlesIt) {
  EXPECT_EQ(spared_from_signal(
                {10}, {shell(10, 1), shell(11, 10), python(12, 11, true), python(13, 12, true)}),
            (Pids{10, 11, 13}));
  EXPECT_EQ(spared_from_signal({10}, {shell(10, 1), other(11, 10, true)}), Pids{10});
}

TEST(StopRequest, SparesNoShellWhoseProgramDoesNotHandleIt) {
  EXPECT_EQ(spared_from_signal({10}, {shell(10, 1), python(11, 10, false), python(12, 11, true)}),
            Pids{});
}

// bash -c 'python train.py | tee log'; 13: a background process with a child
TEST(StopRequest, SparesWhatAShellHasStartedBesideTheProgram) {
  const std::vector beside{python(11, 10, true), other(12, 10, false), other(13, 10, false),
                           other(14, 13, true)};
  auto processes = beside;
  processes.push_back(shell(10, 1));
  EXPECT_EQ(spared_from_signal({10}, processes), (Pids{10, 12, 13, 14}));
  processes.back().handles_it = true;
  EXPECT_EQ(spared_from_signal({10}, processes), (Pids{12, 13, 14}));
}

// bash runs its trap only after the program has ended.
TEST(StopRequest, ReachesAShellWithATrapAndItsProgram) {
  EXPECT_EQ(spared_from_signal({10}, {shell(10, 1, true), python(11, 10, true)}), Pids{});
}

// conda run, whose Python does not handle it, starts a shell
TEST(StopRequest, SparesAStarterAboveAProgramThatHandlesIt) {
  EXPECT_EQ(spared_from_signal(
                {10}, {starter(10, 1), shell(11, 10), python(12, 11, true), python(13, 12, true)}),
            (Pids{10, 11, 13}));
}

// uv run bash run.sh
TEST(StopRequest, SparesAStarterThatWouldPassItOn) {
  EXPECT_EQ(spared_from_signal({10}, {starter(10, 1, true), python(11, 10, true)}), Pids{10});
  EXPECT_EQ(spared_from_signal({10}, {starter(10, 1, true), shell(11, 10), python(12, 11, true)}),
            (Pids{10, 11}));
}

TEST(StopRequest, ReachesAStarterWhoseProgramDoesNotHandleIt) {
  for (const bool handles : {false, true}) {
    EXPECT_EQ(spared_from_signal({10}, {starter(10, 1, handles), python(11, 10, false)}), Pids{});
  }
}

TEST(StopRequest, ReachesAWrapperThatIsNoShellAndTheProgramThatItStarts) {
  EXPECT_EQ(
      spared_from_signal({10}, {other(10, 1, true), python(11, 10, true), python(12, 11, false)}),
      Pids{12});
}

TEST(StopRequest, JudgesEachRankByItself) {
  EXPECT_EQ(
      spared_from_signal({10, 20}, {python(10, 1, true), python(11, 10, true), python(20, 1, false),
                                    python(21, 20, true), other(30, 1, true)}),
      Pids{11});
}

// Two reads of /proc may show a process below itself.
TEST(StopRequest, EndsWithACycle) {
  EXPECT_EQ(spared_from_signal({10}, {shell(10, 11), shell(11, 10), python(10, 10, true)}), Pids{});
}

}  // namespace
}  // namespace muster::ranks
