#include "launcher/slurm/srun.hpp"

#include "core/error.hpp"
#include "fixtures/scratch_directory.hpp"

#include <chrono>
#include <csignal>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace muster::slurm {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using Words = std::vector<std::string>;

// A supervisor in a separate process.
class Supervisor {
 public:
  explicit Supervisor(const Words& srun) : pid_(fork()) {
    if (pid_ != 0) return;
    setsid();  // no terminal: job control is for the live tests
    _exit(end_like(run_srun(srun)));
  }
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;
  ~Supervisor() {
    if (ended_) return;
    kill(pid_, SIGKILL);
    wait();
  }

  pid_t pid() const { return pid_; }
  int wait() {
    int status = 0;
    waitpid(pid_, &status, 0);
    ended_ = true;
    return status;
  }

 private:
  pid_t pid_;
  bool ended_ = false;
};

Words lines(const std::string& path) {
  Words all;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) all.push_back(line);
  return all;
}

bool eventually(const std::function<bool()>& holds) {
  const auto end = steady_clock::now() + std::chrono::seconds{10};
  while (!holds()) {
    if (steady_clock::now() > end) return false;
    std::this_thread::sleep_for(milliseconds{5});
  }
  return true;
}

TEST(Supervisor, ExitsWithTheCodeOfSrun) {
  for (const int code : {0, 1, 7, 143, 255}) {
    const int status = Supervisor({SRUN_DOUBLE, "exit", std::to_string(code)}).wait();
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), code);
  }
}

TEST(Supervisor, DiesByTheSignalThatKilledSrun) {
  for (const int signal : {SIGKILL, SIGTERM, SIGINT, SIGSEGV}) {
    const int status = Supervisor({SRUN_DOUBLE, "die", std::to_string(signal)}).wait();
    EXPECT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(WTERMSIG(status), signal);
  }
}

TEST(Supervisor, TellsSrunsShimThatItIsTheParent) {
  EXPECT_EQ(WEXITSTATUS(Supervisor({SRUN_DOUBLE, "guard"}).wait()), 0);
}

TEST(Supervisor, SaysThatSrunIsNotThere) {
  EXPECT_EQ(WEXITSTATUS(Supervisor({"/nonexistent/srun"}).wait()), 127);
}

TEST(Supervisor, PassesEachSignalOnExactlyOnce) {
  const fixtures::ScratchDirectory scratch;
  const auto log = scratch.path("signals");
  Supervisor supervisor({SRUN_DOUBLE, "listen", log});
  ASSERT_TRUE(eventually([&] { return lines(log).size() == 1; }));
  Words expected = lines(log);
  for (const int signal : {SIGINT, SIGUSR1, SIGUSR2, SIGHUP, SIGQUIT, SIGALRM, SIGUSR1, SIGTERM}) {
    kill(supervisor.pid(), signal);
    expected.push_back(std::to_string(signal));
    ASSERT_TRUE(eventually([&] { return lines(log).size() >= expected.size(); })) << signal;
    // A second copy would have arrived by now, or would arrive before the next one.
    ASSERT_EQ(lines(log), expected);
  }
  const int status = supervisor.wait();
  EXPECT_EQ(WEXITSTATUS(status), 7);
  EXPECT_EQ(lines(log), expected);
}

TEST(Supervisor, TakesSrunWithItWhenItIsKilled) {
  const fixtures::ScratchDirectory scratch;
  const auto log = scratch.path("signals");
  Supervisor supervisor({SRUN_DOUBLE, "listen", log});
  ASSERT_TRUE(eventually([&] { return lines(log).size() == 1; }));
  kill(supervisor.pid(), SIGKILL);
  supervisor.wait();
  // SIGTERM, not SIGKILL: srun then cancels its step.
  EXPECT_TRUE(eventually([&] { return lines(log).size() == 2; }));
  EXPECT_EQ(lines(log).back(), std::to_string(SIGTERM));
}

TEST(Supervisor, GivesSrunTheSignalMaskThatItHadItself) {
  sigset_t before;
  sigset_t blocked;
  sigset_t after;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR2);
  sigprocmask(SIG_SETMASK, &blocked, &before);
  const auto ended = run_srun({SRUN_DOUBLE, "blocks", std::to_string(SIGUSR2)});
  sigprocmask(SIG_SETMASK, &before, &after);
  EXPECT_EQ(ended.wait_status, 0);
  EXPECT_EQ(sigismember(&after, SIGUSR2), 1);  // and its own mask is unchanged
  EXPECT_EQ(sigismember(&after, SIGTERM), 0);
  unsetenv("MUSTER_SUPERVISOR");
}

TEST(Supervisor, HoldsBackWhatSrunDoesNot) {
  sigset_t none;
  sigset_t held;
  sigset_t before;
  sigemptyset(&none);
  sigemptyset(&held);
  sigaddset(&held, SIGUSR2);
  sigprocmask(SIG_BLOCK, &held, &before);
  const auto ended = run_srun({SRUN_DOUBLE, "blocks", "0"}, {.mask = none});
  sigprocmask(SIG_SETMASK, &before, nullptr);
  EXPECT_EQ(ended.wait_status, 0);
  unsetenv("MUSTER_SUPERVISOR");
}

TEST(BecomeSrun, ReplacesTheProcessOrSaysWhyNot) {
  const pid_t child = fork();
  if (child == 0) become_srun({SRUN_DOUBLE, "exit", "5"});
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 5);
  EXPECT_THROW(become_srun({"/nonexistent/srun"}), Error);
  unsetenv("MUSTER_SUPERVISOR");
}

}  // namespace
}  // namespace muster::slurm
