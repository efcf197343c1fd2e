#include "launcher/tools/health/health_command.hpp"

#include "fixtures/scratch_directory.hpp"

#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <sys/stat.h>

namespace muster::health {
namespace {

using namespace std::chrono_literals;
using restart::Health;

class HealthCommand : public testing::Test {
 protected:
  std::string script(const std::string& text) const {
    const auto file = directory_.write("check", "#!/bin/sh\n" + text + "\n");
    chmod(file.c_str(), 0755);
    return file;
  }

  HealthResult run(const std::string& text) const { return run_health_command(script(text), 20s); }

  fixtures::ScratchDirectory directory_;
};

TEST_F(HealthCommand, SaysByItsExitCodeWhetherTheNodeIsHealthy) {
  EXPECT_EQ(run("exit 0"), (HealthResult{Health::well, ""}));
  EXPECT_EQ(run("exit 3"), (HealthResult{Health::ill, "exit code 3"}));
}

TEST_F(HealthCommand, GivesTheFirstLineOfItsOutputAsReason) {
  EXPECT_EQ(run("echo; echo ' GPU 3 is missing' >&2; echo more; exit 1").why,
            "exit code 1: GPU 3 is missing");
  EXPECT_EQ(run("head -c 1000000 /dev/zero; exit 1").health, Health::ill);
}

TEST_F(HealthCommand, IsUnclearWhereASignalEndsIt) {
  EXPECT_EQ(run("kill -9 $$"), (HealthResult{Health::unclear, "killed by signal 9"}));
}

TEST_F(HealthCommand, IsUnclearWhereItCannotBeStarted) {
  EXPECT_EQ(run_health_command(directory_.path("missing"), 20s),
            (HealthResult{Health::unclear, "cannot be started: No such file or directory"}));
  EXPECT_EQ(run_health_command(directory_.write("plain", "exit 0\n"), 20s),
            (HealthResult{Health::unclear, "cannot be started: Permission denied"}));
}

TEST_F(HealthCommand, IsEndedAtItsLimitWithWhatItHasStarted) {
  const auto file = directory_.path("pid");
  EXPECT_EQ(run_health_command(script("sleep 1000 & echo $! >" + file + "; wait"), 1s),
            (HealthResult{Health::unclear, "did not finish within 1 s"}));
  int child = 0;
  std::ifstream(file) >> child;
  ASSERT_GT(child, 0);
  const auto deadline = std::chrono::steady_clock::now() + 20s;
  const auto state = [&] {
    std::string pid, name, letter;
    std::ifstream("/proc/" + std::to_string(child) + "/stat") >> pid >> name >> letter;
    return letter;
  };
  while (!state().empty() && state() != "Z" && std::chrono::steady_clock::now() < deadline) {
  }
  EXPECT_TRUE(state().empty() || state() == "Z") << state();
}

TEST_F(HealthCommand, DoesNotWaitForWhatItLeavesBehind) {
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(run("sleep 30 & exit 0").health, Health::well);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 20s);
}

TEST_F(HealthCommand, MayCloseItsOutput) {
  EXPECT_EQ(run("exec >&- 2>&-; sleep 0.1; exit 4"), (HealthResult{Health::ill, "exit code 4"}));
}

}  // namespace
}  // namespace muster::health
