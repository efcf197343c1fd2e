// slurmstepd calls user_init with the user's effective and root's real id. The agent must belong permanently
// to the user alone.
#include "fake_slurm.hpp"
#include "fixtures/scratch_directory.hpp"
#include "in_child.hpp"
#include "spank/slurmstepd.hpp"

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/sched.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace muster::spank {
namespace {

constexpr uid_t nobody = 65534;
constexpr gid_t other_group = 4242;

class AgentIdentity : public testing::Test {
 protected:
  void SetUp() override {
    if (getuid() != 0) GTEST_SKIP() << "only root can give an id away";
    // A place that another user can reach, wherever the build is.
    ASSERT_EQ(chmod(scratch_.path().c_str(), 0755), 0);
    std::filesystem::copy_file(AGENT_DOUBLE, agent_program(line_));
    // The mode that it is installed with.
    ASSERT_EQ(chmod(agent_program(line_).c_str(), 0711), 0);
  }

  // A step of this user whose task has got its plan from the agent.
  bool starts(Node& node, FakeSlurm& slurm, const Identity& user) const {
    slurm.user = user;
    Option option;
    option.accept("torch");
    node.step_starts(slurm, option, line_);
    return node.task_starts(slurm) == 0;
  }

  // What a user's agent saw, or what the shim said instead.
  std::string seen(const char* name, const Identity& user) const {
    FakeSlurm slurm;
    Node node;
    if (!starts(node, slurm, user)) return slurm.errors.empty() ? "failed" : slurm.errors[0];
    return slurm.variables.at(name);
  }

  fixtures::ScratchDirectory scratch_;
  Plugstack line_{.muster = scratch_.path("muster"),
                  .config = "plan",
                  .timeout = std::chrono::seconds{20},
                  .error = {}};
  const Identity user_{.uid = nobody, .gid = nobody, .groups = {other_group, nobody}};
};

bool become_nobody() {
  return setresgid(nobody, nobody, nobody) == 0 && setresuid(nobody, nobody, nobody) == 0;
}

// As slurmstepd does it: root remains the real id.
bool take_effective_ids() {
  return setegid(nobody) == 0 && seteuid(nobody) == 0;
}

TEST_F(AgentIdentity, IsTheUsersInAllThreeIdsAndAllGroups) {
  for (const auto& [name, expected] :
       {std::pair{"SEEN_IDS", "65534 65534 65534 65534 65534 65534"},
        std::pair{"SEEN_GROUPS", "4242 65534"}, std::pair{"SEEN_ROOT_AGAIN", "no"}}) {
    const auto result = in_child([&, name = name] {
      return take_effective_ids() ? seen(name, user_) : std::string("no ids");
    });
    EXPECT_EQ(result.output, expected) << name;
  }
}

TEST_F(AgentIdentity, IsTheUsersAlsoWhenTheHookRunsAsRootAltogether) {
  const auto result = in_child([&] { return seen("SEEN_IDS", user_); });
  EXPECT_EQ(result.output, "65534 65534 65534 65534 65534 65534");
  EXPECT_EQ(in_child([&] { return seen("SEEN_ROOT_AGAIN", user_); }).output, "no");
}

TEST_F(AgentIdentity, LeavesTheHooksOwnIdsAsTheyWere) {
  const auto result = in_child([&] {
    if (!take_effective_ids()) return std::string("no ids");
    seen("SEEN_IDS", user_);
    uid_t real = 1;
    uid_t effective = 1;
    uid_t saved = 1;
    getresuid(&real, &effective, &saved);
    return std::to_string(real) + ' ' + std::to_string(effective) + ' ' + std::to_string(saved);
  });
  EXPECT_EQ(result.output, "0 65534 0");
}

TEST_F(AgentIdentity, IsRootsWhereTheJobIsRoots) {
  const Identity root{.uid = 0, .gid = 0, .groups = {0}};
  EXPECT_EQ(in_child([&] { return seen("SEEN_IDS", root); }).output, "0 0 0 0 0 0");
}

TEST_F(AgentIdentity, IsNotStartedWithTheIdsOfSomebodyElse) {
  const Identity other{.uid = 1234, .gid = 1234, .groups = {}};
  const auto result = in_child([&] {
    if (!become_nobody()) return std::string("no ids");
    return seen("SEEN_IDS", other);
  });
  EXPECT_NE(result.output.find("could not drop root privileges"), std::string::npos)
      << result.output;
}

// What a process of the job's user can do to another one.
std::string traces(pid_t process) {
  const auto result = in_child([=] {
    if (!become_nobody()) return std::string("no ids");
    const auto pidfd = static_cast<int>(syscall(SYS_pidfd_open, process, 0));
    std::string can = pidfd < 0 ? "not even open it" : "";
    if (syscall(SYS_pidfd_getfd, pidfd, STDIN_FILENO, 0) >= 0) can += "take descriptors ";
    const auto memory = "/proc/" + std::to_string(process) + "/mem";
    if (open(memory.c_str(), O_RDONLY) >= 0) can += "read memory ";
    if (ptrace(PTRACE_SEIZE, process, nullptr, nullptr) == 0) can += "trace";
    return can;
  });
  return result.output;
}

TEST_F(AgentIdentity, CannotBeTracedByOtherProcessesOfItsUserFromItsFirstInstructionOn) {
  // The double does nothing about it: it was like this when exec returned.
  EXPECT_NE(in_child([&] { return seen("SEEN_DUMPABLE", user_); }).output, "1");
  const auto result = in_child([&] {
    FakeSlurm slurm;
    Node node;
    if (!starts(node, slurm, user_)) return std::string("failed");
    return "'" + traces(std::stoi(slurm.variables.at("SEEN_PID"))) + "'";
  });
  EXPECT_EQ(result.output, "''");
}

TEST_F(AgentIdentity, DoesNotInheritHowTheOutOfMemoryKillerTreatsSlurmstepd) {
  const auto result = in_child([&] {
    std::ofstream("/proc/self/oom_score_adj")
        << 300;  // in a container, lowering it below 0 takes more than root
    return take_effective_ids() ? seen("SEEN_MEMORY_PRIVILEGE", user_) : std::string("no ids");
  });
  EXPECT_EQ(result.output, "0");
}

// The user chooses the limits, and slurmstepd's agent has four files open. (The double is linked statically,
// so it opens no further files at start.)
#ifdef AGENT_DOUBLE_IS_STATIC
TEST_F(AgentIdentity, GivesTheMemoryPrivilegeBackWhateverTheStepsLimits) {
  const auto result = in_child([&] {
    std::ofstream("/proc/self/oom_score_adj") << 300;
    if (!take_effective_ids()) return std::string("no ids");
    FakeSlurm slurm;
    slurm.variables["SLURM_RLIMIT_NOFILE"] = "4";
    Node node;
    if (!starts(node, slurm, user_)) return slurm.errors.empty() ? "failed" : slurm.errors[0];
    return slurm.variables.at("SEEN_MEMORY_PRIVILEGE");
  });
  EXPECT_EQ(result.output, "0");
}
#endif

// A root process with this ID; -1 if the kernel does not let us choose one.
pid_t process_with_id(pid_t id) {
  clone_args arguments{};
  arguments.exit_signal = SIGCHLD;
  arguments.set_tid = reinterpret_cast<std::uintptr_t>(&id);
  arguments.set_tid_size = 1;
  // The ID is in use until the last process has left the agent's session.
  for (int tries = 0; tries < 1000; ++tries) {
    const auto process = static_cast<pid_t>(syscall(SYS_clone3, &arguments, sizeof arguments));
    if (process == 0) {
      pause();
      _exit(0);
    }
    if (process > 0 || errno != EEXIST) return process;
    usleep(5000);
  }
  return -1;
}

// Another process of the user keeps the agent's socket, so that the agent seems to be alive.
TEST_F(AgentIdentity, IsNotTakenForAProcessOfAnotherUserThatHasItsId) {
  line_.config = "leave-its-socket";
  const auto result = in_child([&] {
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    FakeSlurm slurm;
    Node node;
    if (!starts(node, slurm, user_)) return std::string("failed");
    const pid_t agent = std::stoi(slurm.variables.at("SEEN_PID"));
    if (waitpid(agent, nullptr, 0) != agent) return std::string("the agent did not end");
    const pid_t innocent = process_with_id(agent);
    if (innocent != agent) return std::string("cannot choose an ID");
    node.step_ended();
    const auto ended = waitpid(innocent, nullptr, WNOHANG);
    kill(innocent, SIGKILL);
    return std::string(ended == 0 ? "lives" : "was killed");
  });
  if (result.output == "cannot choose an ID") GTEST_SKIP() << result.output;
  EXPECT_EQ(result.output, "lives");
}

TEST_F(AgentIdentity, IsRefusedAProgramThatItsUserCanRead) {
  for (const mode_t mode : {0755U, 0751U, 0715U}) {
    ASSERT_EQ(chmod(agent_program(line_).c_str(), mode), 0);
    const auto result = in_child([&] { return seen("SEEN_DUMPABLE", user_); });
    EXPECT_NE(result.output.find("muster-agent can be read by its users"), std::string::npos)
        << result.output;
  }
}

}  // namespace
}  // namespace muster::spank
