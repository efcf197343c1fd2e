// Another plugin's init_post_opt runs before muster's user_init, and may change what slurmstepd sees.
#include "spank/first_root.hpp"

#include "fake_slurm.hpp"
#include "fixtures/emulation.hpp"
#include "fixtures/open_descriptors.hpp"
#include "fixtures/scratch_directory.hpp"
#include "in_child.hpp"
#include "spank/slurmstepd.hpp"
#include "wire/variables.hpp"

#include <algorithm>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::spank {
namespace {

constexpr uid_t nobodys_id = 65534;

class FirstRootTest : public testing::Test {
 protected:
  void SetUp() override {
    if (getuid() != 0) GTEST_SKIP() << "only root can change a root";
    ASSERT_EQ(chmod(scratch_.path().c_str(), 0755), 0);
    std::filesystem::copy_file(AGENT_DOUBLE, agent_program(line_));
    ASSERT_EQ(chmod(agent_program(line_).c_str(), 0711), 0);
    slurm_.user = {.uid = nobodys_id, .gid = nobodys_id, .groups = {nobodys_id}};
    slurm_.variables[wire::request_variable] = "{}";
  }

  // As pivot_root does, or a mount over it.
  bool hide_installation() const {
    return unshare(CLONE_NEWNS) == 0 &&
           mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
           mount("none", scratch_.path().c_str(), "tmpfs", 0, nullptr) == 0;
  }

  // What the agent saw, or what the shim said instead.
  std::string step(const char* name) {
    if (setegid(nobodys_id) != 0 || seteuid(nobodys_id) != 0) return "no ids";
    node_.step_starts(slurm_, Option(), line_);
    if (node_.task_starts(slurm_) != 0) return slurm_.errors.empty() ? "failed" : slurm_.errors[0];
    return slurm_.variables.at(name);
  }

  fixtures::ScratchDirectory scratch_;
  Plugstack line_{.muster = scratch_.path("muster"),
                  .config = "plan",
                  .timeout = std::chrono::seconds{20},
                  .error = {}};
  FakeSlurm slurm_;
  Node node_;
};

TEST_F(FirstRootTest, HasTheAgentThatAnotherPluginHasHidden) {
  MUSTER_NOT_IN_QEMU("has a second thread, and the kernel then refuses another mount namespace");
  const auto result = in_child([&] {
    node_.step_begins(line_);
    return hide_installation() ? step("SEEN_IDS") : "no mount namespace";
  });
  EXPECT_EQ(result.output, "65534 65534 65534 65534 65534 65534");
}

TEST_F(FirstRootTest, IsTheUsersToLeaveForGood) {
  MUSTER_NOT_IN_QEMU("has a second thread, and the kernel then refuses another mount namespace");
  const auto result = in_child([&] {
    node_.step_begins(line_);
    return hide_installation() ? step("SEEN_ROOT_AGAIN") : "no mount namespace";
  });
  EXPECT_EQ(result.output, "no");
}

TEST_F(FirstRootTest, IsNotEnteredForAProgramThatWasNotTrustedThere) {
  ASSERT_EQ(chmod(agent_program(line_).c_str(), 0777), 0);
  const auto result = in_child([&] {
    node_.step_begins(line_);
    return hide_installation() ? step("SEEN_IDS") : "no mount namespace";
  });
  EXPECT_NE(result.output.find("cannot use"), std::string::npos) << result.output;
}

TEST_F(FirstRootTest, IsRememberedForAStepWithARequestOnly) {
  EXPECT_TRUE(asks_for_muster(slurm_, Option()));
  slurm_.variables.clear();
  EXPECT_FALSE(asks_for_muster(slurm_, Option()));
}

TEST_F(FirstRootTest, IsForgottenBeforeATaskStarts) {
  const auto before = fixtures::open_descriptors();
  node_.step_begins(line_);
  EXPECT_EQ(fixtures::open_descriptors(), before + 2);
  line_.error = "no plan";  // so that there is no agent socket either
  node_.step_starts(slurm_, Option(), line_);
  EXPECT_EQ(fixtures::open_descriptors(), before);
}

TEST_F(FirstRootTest, HasTheSitesFileThatAnotherPluginHasHidden) {
  line_.config = scratch_.write("muster.yaml", "{}");
  FirstRoot root;
  root.remember(line_);
  EXPECT_FALSE(root.hides_agent(line_));
  std::filesystem::remove(line_.config);
  EXPECT_TRUE(root.hides_agent(line_));
}

TEST_F(FirstRootTest, HidesNoSitesFileThatWasNeverThere) {
  line_.config = scratch_.path("none.yaml");
  FirstRoot root;
  root.remember(line_);
  EXPECT_FALSE(root.hides_agent(line_));
}

}  // namespace
}  // namespace muster::spank
