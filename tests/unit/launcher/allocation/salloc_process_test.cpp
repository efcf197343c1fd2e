// salloc's part is a shell's that ignores a signal while its command runs, as salloc does.
#include "launcher/allocation/salloc_process.hpp"

#include "fixtures/scratch_directory.hpp"

#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace muster::allocation {
namespace {

using std::chrono::milliseconds;

// Its exit status, with SIGTERM sent to the process that runs it once `ready` is there.
int status_after_sigterm(const std::string& script, const std::string& ready) {
  const pid_t pid = fork();
  if (pid == 0) {
    const auto ended = run_salloc({"sh", "-c", script});
    _exit(WIFEXITED(ended.wait_status) ? WEXITSTATUS(ended.wait_status) : 99);
  }
  while (!std::filesystem::exists(ready)) std::this_thread::sleep_for(milliseconds{5});
  kill(pid, SIGTERM);
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(SallocProcess, PassesASignalOnToTheSupervisorInIt) {
  const fixtures::ScratchDirectory scratch;
  const auto ready = scratch.path("ready");
  EXPECT_EQ(status_after_sigterm("trap : TERM; sh -c 'trap \"exit 5\" TERM; : > " + ready +
                                     "; while :; do sleep 0.05; done'; exit $?",
                                 ready),
            5);
}

TEST(SallocProcess, GetsASignalItselfBeforeItHasStartedOne) {
  const fixtures::ScratchDirectory scratch;
  const auto ready = scratch.path("ready");
  EXPECT_EQ(
      status_after_sigterm("trap 'exit 6' TERM; : > " + ready + "; while :; do :; done", ready), 6);
}

}  // namespace
}  // namespace muster::allocation
