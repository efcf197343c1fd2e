// A shell plays salloc: like salloc, it ignores a signal while its command runs.
#include "launcher/slurm/salloc_process.hpp"

#include "fixtures/scratch_directory.hpp"

#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace muster::slurm {
namespace {

using std::chrono::milliseconds;

// Its exit status, after SIGTERM is sent to the process that runs it once `ready` exists.
int status_after_sigterm(const std::string& script, const std::string& ready) {
  const pid_t pid = fork();
  if (pid == 0) {
    const auto ended = run_salloc({"sh", "-c", script}, {}, [](const auto& /*line*/) {});
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

TEST(WaitingText, SaysWhatIsKnown) {
  EXPECT_EQ(waiting_text(3, "47"), "waiting for 3 nodes (job 47); Ctrl-C cancels");
  EXPECT_EQ(waiting_text(1, ""), "waiting for 1 node; Ctrl-C cancels");
  EXPECT_EQ(waiting_text({}, "47"), "waiting for nodes (job 47); Ctrl-C cancels");
}

}  // namespace
}  // namespace muster::slurm
