#include "core/report/exit_status.hpp"

#include <csignal>
#include <cstdlib>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace muster::report {
namespace {

// As the kernel reports it.
template <class End>
int status_after(End end) {
  const pid_t child = fork();
  if (child == 0) {
    end();
    _exit(0);
  }
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return status;
}

int status_of_signal(int number) {
  return status_after([number] { kill(getpid(), number); });
}

TEST(ExitStatus, IsAnExitCode) {
  const int status = status_after([] { _exit(7); });
  EXPECT_EQ(exit_code(status), 7);
  EXPECT_EQ(end_signal(status), std::nullopt);
  EXPECT_EQ(shell_code(status), 7);
  EXPECT_EQ(in_words(status), "exit code 7");
}

TEST(ExitStatus, IsASignalAsTheShellHasIt) {
  const int status = status_of_signal(SIGKILL);
  EXPECT_EQ(exit_code(status), std::nullopt);
  EXPECT_EQ(end_signal(status), SIGKILL);
  EXPECT_EQ(shell_code(status), 137);
  EXPECT_EQ(in_words(status), "SIGKILL (killed)");
}

TEST(ExitStatus, NamesACoreFile) {
  EXPECT_EQ(in_words(SIGSEGV), "SIGSEGV (segmentation fault)");
  EXPECT_EQ(in_words(SIGSEGV | 0x80), "SIGSEGV (segmentation fault), core dumped");
  EXPECT_EQ(shell_code(SIGSEGV | 0x80), 139);
}

TEST(ExitStatus, KnowsRealtimeSignals) {
  EXPECT_EQ(in_words(status_of_signal(SIGRTMIN)), "SIGRTMIN");
  EXPECT_EQ(in_words(status_of_signal(SIGRTMIN + 3)), "SIGRTMIN+3");
  EXPECT_EQ(shell_code(status_of_signal(SIGRTMIN + 3)), 128 + SIGRTMIN + 3);
}

TEST(ExitStatus, KnowsSlurmsNumberForMemory) {
  EXPECT_EQ(in_words(slurms_memory_signal), "out of memory (Slurm's 0:125)");
  EXPECT_EQ(shell_code(slurms_memory_signal), 253);
}

TEST(ExitStatus, HasWordsForAnyNumber) {
  for (const int status : {-1, 0x7F, 0x137F, 0xFFFF, 1 << 30}) EXPECT_NE(in_words(status), "");
  EXPECT_EQ(in_words(0x137F), "wait status 0x137f");
  EXPECT_EQ(signal_name(0), "signal 0");
  EXPECT_EQ(signal_name(-3), "signal -3");
}

TEST(SignalBehind, IsThatOfAShellsChild) {
  EXPECT_EQ(signal_behind(137), SIGKILL);
  EXPECT_EQ(signal_behind(139), SIGSEGV);
  for (const int code : {0, 1, 128, 138, 200, 253, 255}) {
    EXPECT_EQ(signal_behind(code), std::nullopt) << code;
  }
}

}  // namespace
}  // namespace muster::report
