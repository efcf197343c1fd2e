#include "spank/slurmstepd.hpp"

#include "fake_slurm.hpp"
#include "fixtures/emulation.hpp"
#include "fixtures/open_descriptors.hpp"
#include "fixtures/scratch_directory.hpp"
#include "in_child.hpp"
#include "wire/variables.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

namespace muster::spank {
namespace {

using std::chrono::seconds;
using std::chrono::steady_clock;
using Words = std::vector<std::string>;

Option torch() {
  Option option;
  option.accept("torch");
  return option;
}

Plugstack agent_that(const std::string& behaves, int timeout = 20) {
  return {.muster = AGENT_DOUBLE,
          .config = behaves,
          .timeout = seconds{timeout},
          .trust_any_owner = true,
          .error = {}};
}

// The agent is an orphan. While this object lives, the test's process adopts orphans and can wait for them.
class Adoption {
 public:
  Adoption() { prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); }
  Adoption(const Adoption&) = delete;
  Adoption& operator=(const Adoption&) = delete;
  ~Adoption() { prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0); }
};

bool has_children() {
  while (waitpid(-1, nullptr, WNOHANG) > 0) {
  }
  return waitpid(-1, nullptr, WNOHANG) != -1 || errno != ECHILD;
}

bool agents_end_within(double time) {
  const auto end = steady_clock::now() + std::chrono::duration<double>(time);
  while (has_children()) {
    if (steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds{2});
  }
  return true;
}

double elapsed(steady_clock::time_point since) {
  return std::chrono::duration<double>(steady_clock::now() - since).count();
}

std::string content(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// What the user of a step sees from both of its tasks on this node.
struct StepEnd {
  std::vector<int> results;
  Words errors;
};

StepEnd run_step(const Plugstack& line) {
  FakeSlurm slurm;
  Node node;
  EXPECT_EQ(node.step_starts(slurm, torch(), line), 0);
  StepEnd end;
  for (slurm.task = 0; slurm.task < 2; ++slurm.task) {
    end.results.push_back(node.task_starts(slurm));
  }
  node.step_ended();
  end.errors = slurm.errors;
  return end;
}

void expect_one_error(const Plugstack& line, const std::string& part) {
  const auto end = run_step(line);
  EXPECT_EQ(end.results, (std::vector<int>{-1, -1})) << line.config;
  ASSERT_EQ(end.errors.size(), 1U) << line.config;
  EXPECT_TRUE(end.errors[0].starts_with("muster: ")) << end.errors[0];
  EXPECT_NE(end.errors[0].find(part), std::string::npos) << end.errors[0];
}

TEST(Node, DoesNothingAtAllWhenTheOptionIsNotUsed) {
  FakeSlurm slurm;
  Node node;
  const auto before = fixtures::open_descriptors();
  auto line = agent_that("plan");
  line.error = "a wrong line is nobody's business here";
  EXPECT_EQ(node.step_starts(slurm, Option(), line), 0);
  EXPECT_EQ(node.task_starts(slurm), 0);
  EXPECT_EQ(node.task_ended(slurm, torch(), agent_that("plan")), 0);
  node.step_ended();
  EXPECT_FALSE(has_children());
  EXPECT_EQ(fixtures::open_descriptors(), before);
  EXPECT_EQ(slurm.asked, 0);
  EXPECT_TRUE(slurm.errors.empty() && slurm.notices.empty());
}

TEST(Node, DoesNothingAtAllWhenTheOptionIsOff) {
  FakeSlurm slurm;
  Node node;
  Option off;
  off.accept("off");
  EXPECT_EQ(node.step_starts(slurm, off, agent_that("plan")), 0);
  EXPECT_EQ(slurm.asked, 0);
}

TEST(Node, LeavesBatchInteractiveAndExternStepsAlone) {
  for (const std::uint32_t special :
       {0xffff'fff0U, 0xffff'fffaU, 0xffff'fffbU, 0xffff'fffcU, 0xffff'fffdU, 0xffff'fffeU}) {
    FakeSlurm slurm;
    slurm.facts.step_id = special;
    slurm.variables[wire::request_variable] = "{}";
    Node node;
    EXPECT_EQ(node.step_starts(slurm, torch(), agent_that("plan")), 0);
    EXPECT_EQ(node.task_starts(slurm), 0);
    EXPECT_EQ(slurm.asked, 0) << special;
  }
}

TEST(Node, ServesAStepWhoseRequestCameByTheEnvironmentAlone) {
  FakeSlurm slurm;
  slurm.variables[wire::request_variable] = "{}";
  Node node;
  node.step_starts(slurm, Option(), agent_that("plan"));
  EXPECT_EQ(node.task_starts(slurm), 0);
  EXPECT_EQ(slurm.variables.at("TASK"), "0");
}

TEST(Node, GivesEachTaskItsEnvironment) {
  FakeSlurm slurm;
  slurm.variables = {{"DOUBLE_UNSET", "STALE"}, {"STALE", "x"}, {"KEPT", "y"}};
  Node node;
  ASSERT_EQ(node.step_starts(slurm, torch(), agent_that("plan")), 0);
  slurm.task = 1;
  EXPECT_EQ(node.task_starts(slurm), 0);
  EXPECT_EQ(slurm.variables.at("TASK"), "1");
  EXPECT_EQ(slurm.variables.at("RANK"), "3");
  EXPECT_EQ(slurm.variables.at("KEPT"), "y");
  EXPECT_FALSE(slurm.variables.contains("STALE"));
  EXPECT_TRUE(slurm.errors.empty());
}

// What a task has of the start hook if a container's plugin brings `image` as its PYTHONPATH.
std::string start_hook_in_task(const std::string& hook, const std::string& image) {
  FakeSlurm slurm;
  slurm.variables["DOUBLE_HOOK"] = hook;
  Node node;
  node.step_starts(slurm, torch(), agent_that("plan"));
  if (!image.empty()) slurm.variables["PYTHONPATH"] = image;
  EXPECT_EQ(node.task_starts(slurm), 0);
  return slurm.variables["PYTHONPATH"] + ' ' + slurm.variables["MUSTER_RANK_DIRECTORY"];
}

TEST(Node, KeepsThePythonPathThatAContainersPluginHasBrought) {
  const fixtures::ScratchDirectory hook;
  EXPECT_EQ(start_hook_in_task(hook.path(), ""), hook.path() + " /tmp/muster/0");
  EXPECT_EQ(start_hook_in_task(hook.path(), "/image"), hook.path() + "/.:/image /tmp/muster/0");
}

TEST(Node, NamesNoStartHookToATaskThatDoesNotSeeIt) {
  EXPECT_EQ(start_hook_in_task("/nonexistent/start", ""), " ");
  EXPECT_EQ(start_hook_in_task("/nonexistent/start", "/image"), "/image ");
}

TEST(Node, TellsTheAgentWhatSlurmstepdKnows) {
  FakeSlurm slurm;
  Node node;
  node.step_starts(slurm, torch(), agent_that("plan"));
  ASSERT_EQ(node.task_starts(slurm), 0);
  EXPECT_EQ(slurm.variables.at("SEEN_STEP"), "42.0");
  EXPECT_EQ(slurm.variables.at("SEEN_NODE"), "1/2/4/0-3");
  EXPECT_EQ(slurm.variables.at("SEEN_OPTION"), "torch");
  EXPECT_EQ(slurm.variables.at("SEEN_PROGRAM"), "./train --lr 3");
  EXPECT_EQ(slurm.variables.at("SEEN_DIRECTORY"), std::filesystem::current_path());
}

TEST(Node, GivesTheAgentACleanProcess) {
  // What slurmstepd may pass to its children.
  setenv("LD_LIBRARY_PATH", "/evil", 1);
  setenv("PYTHONPATH", "/evil", 1);
  sigset_t blocked;
  sigset_t before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR1);
  sigaddset(&blocked, SIGTERM);
  sigprocmask(SIG_BLOCK, &blocked, &before);
  auto* const handler = std::signal(SIGPIPE, SIG_IGN);
  const std::ifstream inherited("/proc/self/status");  // a descriptor without O_CLOEXEC

  FakeSlurm slurm;
  Node node;
  node.step_starts(slurm, torch(), agent_that("plan"));
  ASSERT_EQ(node.task_starts(slurm), 0);
  EXPECT_EQ(slurm.variables.at("SEEN_DESCRIPTORS"), "0 1 2 3");
  EXPECT_EQ(slurm.variables.at("SEEN_ENVIRONMENT"),
            "LC_ALL=C.UTF-8 PATH=/usr/bin:/bin:/usr/sbin:/sbin");
  EXPECT_EQ(slurm.variables.at("SEEN_ARGUMENTS"), "agent --config=plan --trust-any-owner");
  // No signal that Slurm may send to all processes of a step ends the agent, from its start on.
  EXPECT_EQ(slurm.variables.at("SEEN_SIGNALS"),
            "ignored:1 ignored:2 ignored:3 ignored:10 ignored:12 ignored:13 ignored:15");
  EXPECT_EQ(slurm.variables.at("SEEN_OTHERS"), "/ leader no-new-privileges umask 63");

  std::signal(SIGPIPE, handler);
  sigprocmask(SIG_SETMASK, &before, nullptr);
  unsetenv("LD_LIBRARY_PATH");
  unsetenv("PYTHONPATH");
}

TEST(Node, StartsTheAgentWithinTheLimitsOfTheStepsTasks) {
  MUSTER_NOT_IN_QEMU("ignores a limit of the stack");
  const auto result = in_child([] {
    for (const auto& [resource, limit] :
         {std::pair{RLIMIT_NOFILE, rlimit{500, 600}}, std::pair{RLIMIT_CORE, rlimit{4096, 8192}},
          std::pair{RLIMIT_MEMLOCK, rlimit{4096, 8192}},
          std::pair{RLIMIT_STACK, rlimit{4 << 20, 8 << 20}}}) {
      if (setrlimit(resource, &limit) != 0) return std::string("no limits");
    }
    FakeSlurm slurm;
    slurm.variables = {{"SLURM_RLIMIT_NOFILE", "300"},
                       {"SLURM_RLIMIT_CORE", "U0"},
                       {"SLURM_RLIMIT_MEMLOCK", "18446744073709551615"},
                       {"SLURM_RLIMIT_STACK", "much"}};
    Node node;
    node.step_starts(slurm, torch(), agent_that("plan"));
    if (node.task_starts(slurm) != 0) return slurm.errors.at(0);
    return slurm.variables.at("SEEN_LIMITS");
  });
  EXPECT_EQ(result.output, "300:600 0:8192 8192:8192 4194304:8388608");
}

TEST(Node, KeepsItsOwnVariablesFromTheTasks) {
  for (const auto* const behaves : {"plan", "refuse"}) {
    FakeSlurm slurm;
    slurm.variables = {{wire::request_variable, "{}"}, {wire::step_variable, "1|n|0+1x1|"}};
    Node node;
    node.step_starts(slurm, torch(), agent_that(behaves));
    EXPECT_FALSE(slurm.variables.contains(wire::request_variable)) << behaves;
    EXPECT_FALSE(slurm.variables.contains(wire::step_variable)) << behaves;
  }
}

TEST(Node, PassesTheAgentsWarningsOnOnce) {
  FakeSlurm slurm;
  slurm.variables["DOUBLE_WARNING"] = "ranks are not consecutive";
  Node node;
  node.step_starts(slurm, torch(), agent_that("plan"));
  for (slurm.task = 0; slurm.task < 2; ++slurm.task) node.task_starts(slurm);
  EXPECT_EQ(slurm.notices, Words{"muster: warning: ranks are not consecutive"});
}

TEST(Node, BindsTheCallingTask) {
  cpu_set_t ours;
  ASSERT_EQ(sched_getaffinity(0, sizeof ours, &ours), 0);
  int cpu = 0;
  while (cpu < 64 && !CPU_ISSET(cpu, &ours)) ++cpu;
  if (cpu == 64) GTEST_SKIP() << "no CPU below 64 here";
  const auto result = in_child([&] {
    FakeSlurm slurm;
    slurm.variables["DOUBLE_MASK"] = std::to_string(std::uint64_t{1} << cpu);
    Node node;
    node.step_starts(slurm, torch(), agent_that("plan"));
    const int started = node.task_starts(slurm);
    cpu_set_t mask;
    sched_getaffinity(0, sizeof mask, &mask);
    return std::to_string(started) + ' ' + std::to_string(CPU_COUNT(&mask)) + ' ' +
           std::to_string(CPU_ISSET(cpu, &mask)) + ' ' + std::to_string(slurm.notices.size());
  });
  EXPECT_EQ(result.output, "0 1 1 0");
  // The step's own process keeps its CPUs.
  cpu_set_t after;
  sched_getaffinity(0, sizeof after, &after);
  EXPECT_TRUE(CPU_EQUAL(&ours, &after));
}

TEST(Node, SaysSoAndGoesOnWhenTheKernelDoesNotBindAsPlanned) {
  cpu_set_t ours;
  sched_getaffinity(0, sizeof ours, &ours);
  if (CPU_ISSET(63, &ours)) GTEST_SKIP() << "this machine has CPU 63";
  for (const std::uint64_t more : {std::uint64_t{0}, std::uint64_t{1}}) {
    const auto result = in_child([&] {
      FakeSlurm slurm;
      slurm.variables["DOUBLE_MASK"] = std::to_string((std::uint64_t{1} << 63U) | more);
      Node node;
      node.step_starts(slurm, torch(), agent_that("plan"));
      const int started = node.task_starts(slurm);
      return std::to_string(started) + ' ' + (slurm.notices.empty() ? "" : slurm.notices[0]);
    });
    EXPECT_TRUE(result.output.starts_with("0 muster: warning: node2: task 2: the kernel allows "))
        << result.output;
  }
}

TEST(Node, TellsTheAgentOfATaskThatTheKernelDoesNotBind) {
  cpu_set_t ours;
  sched_getaffinity(0, sizeof ours, &ours);
  if (CPU_ISSET(63, &ours)) GTEST_SKIP() << "this machine has CPU 63";
  const fixtures::ScratchDirectory scratch;
  for (const auto* const required : {"", "yes"}) {
    FakeSlurm slurm;
    slurm.variables["DOUBLE_RECORD"] = scratch.path("record");
    slurm.variables["DOUBLE_MASK"] = std::to_string(std::uint64_t{1} << 63U);
    slurm.variables["DOUBLE_REQUIRED"] = required;
    Node node;
    node.step_starts(slurm, torch(), agent_that("plan"));
    slurm.task = 1;
    EXPECT_EQ(node.task_starts(slurm), *required == 0 ? 0 : -1);
    node.task_ended(slurm, torch(), agent_that("plan"));
    node.task_ended(slurm, torch(), agent_that("plan"));
    EXPECT_EQ(content(scratch.path("record")), "unbound:1 1:0 1:0 ");
  }
}

TEST(Node, FailsTheTaskWhoseEnvironmentCannotBeSet) {
  FakeSlurm slurm;
  slurm.unsettable = "RANK";
  Node node;
  node.step_starts(slurm, torch(), agent_that("plan"));
  EXPECT_EQ(node.task_starts(slurm), -1);
  EXPECT_EQ(slurm.errors, Words{"muster: cannot set RANK for task 0"});
}

TEST(Node, FailsATaskThatThePlanDoesNotHave) {
  FakeSlurm slurm;
  Node node;
  node.step_starts(slurm, torch(), agent_that("plan"));
  slurm.task = 2;
  EXPECT_EQ(node.task_starts(slurm), -1);
}

TEST(Node, TellsTheAgentsRefusalOnceAndFailsEveryTask) {
  expect_one_error(agent_that("refuse"), "no such network");
}

// The exit of the first task that fails ends the others, wherever they are.
TEST(Node, TellsTheRefusalByWhicheverTaskComesFirst) {
  FakeSlurm slurm;
  Node node;
  node.step_starts(slurm, torch(), agent_that("refuse"));
  const auto errors_of = [&](std::uint32_t task) {
    return in_child([&] {
             slurm.task = task;
             node.task_starts(slurm);
             return std::to_string(slurm.errors.size());
           })
        .output;
  };
  EXPECT_EQ(errors_of(1), "1");
  EXPECT_EQ(errors_of(0), "0");
}

// If the hook throws, tasks must not start unplanned, with the step's key in their environment.
TEST(Node, RefusesAStepThatItFailsToReadAndStillHidesItsKey) {
  FakeSlurm slurm;
  slurm.out_of_memory = true;
  slurm.variables = {{wire::request_variable, "{}"}, {wire::step_variable, "1|n|0+1x1|"}};
  Node node;
  EXPECT_EQ(node.step_starts(slurm, torch(), agent_that("plan")), 0);
  EXPECT_TRUE(slurm.variables.empty());
  for (slurm.task = 0; slurm.task < 2; ++slurm.task) EXPECT_EQ(node.task_starts(slurm), -1);
  ASSERT_EQ(slurm.errors.size(), 1U);
  EXPECT_NE(slurm.errors[0].find("failed to plan this step"), std::string::npos);
}

// The plugin's line is parsed in between, and that can fail.
TEST(Node, StartsNoTaskOnceItHasPromisedAPlan) {
  FakeSlurm slurm;
  Node node;
  EXPECT_FALSE(node.used());
  node.promise_plan();
  EXPECT_TRUE(node.used());
  EXPECT_EQ(node.task_starts(slurm), -1);
  ASSERT_EQ(slurm.errors.size(), 1U);
  EXPECT_NE(slurm.errors[0].find("failed to plan this step"), std::string::npos);
}

TEST(Node, FailsEveryTaskWithoutAWordWhenAnotherNodeHasTheWord) {
  const auto end = run_step(agent_that("refuse-without-words"));
  EXPECT_EQ(end.results, (std::vector<int>{-1, -1}));
  EXPECT_TRUE(end.errors.empty());
}

TEST(Node, SaysThatAnAgentEndedWithoutAnAnswer) {
  for (const auto* const behaves : {"crash", "exit7", "half", "hang-up"}) {
    expect_one_error(agent_that(behaves), "exited before it answered");
  }
}

TEST(Node, MakesNothingOfAnAnswerThatMakesNoSense) {
  for (const auto* const behaves : {"garbled-plan", "wrong-kind", "too-few-tasks"}) {
    expect_one_error(agent_that(behaves), "sent an invalid answer");
  }
}

TEST(Node, DoesNotWaitForAnAgentThatSpeaksAnotherLanguage) {
  const auto start = steady_clock::now();
  expect_one_error(agent_that("garbage"), "sent an invalid answer");
  EXPECT_LT(elapsed(start), 5);
}

TEST(Node, GivesASilentAgentItsTimeAndNoMore) {
  const Adoption adoption;
  const auto start = steady_clock::now();
  expect_one_error(agent_that("silent", 1), "did not answer within 1 s");
  EXPECT_GE(elapsed(start), 1);
  EXPECT_LT(elapsed(start), 5);
  EXPECT_TRUE(agents_end_within(5));  // through the alarm that it was started with
}

TEST(Node, SaysThatTheAgentIsNotThereOrNotToBeTrusted) {
  auto line = agent_that("plan");
  line.muster = "/nonexistent/muster";
  expect_one_error(line, "/nonexistent/muster");
  const fixtures::ScratchDirectory scratch;
  line.muster = scratch.path("muster");
  const auto agent = scratch.write("muster-agent", "not a program");
  std::filesystem::permissions(agent, std::filesystem::perms(0755));
  expect_one_error(line, "is not a program for this node's architecture");
  scratch.write("muster-agent", "#!/no/such/interpreter");
  std::filesystem::permissions(agent, std::filesystem::perms(0755));
  expect_one_error(line, "could not be executed on this node");
  std::filesystem::permissions(agent, std::filesystem::perms(0777));
  line.trust_any_owner = false;
  expect_one_error(line, "must be owned by root, and only root may write");
  line.error = "bad argument";
  expect_one_error(line, "bad argument");
}

TEST(Node, TellsTheAgentTheTasksProcessesInOneMessage) {
  const fixtures::ScratchDirectory scratch;
  FakeSlurm slurm;
  slurm.variables["DOUBLE_RECORD"] = scratch.path("record");
  Node node;
  node.task_forked(slurm);  // from a step that does not use muster
  node.step_starts(slurm, torch(), agent_that("plan"));
  for (const std::uint32_t task : {0U, 1U}) {
    slurm.task = task;
    node.task_forked(slurm);
  }
  node.task_ended(slurm, torch(), agent_that("plan"));
  node.task_ended(slurm, torch(), agent_that("plan"));
  EXPECT_EQ(content(scratch.path("record")), "pid:100 pid:101 1:0 1:0 ");
}

TEST(Node, TellsTheAgentHowEachTaskEndedAndLetsItEndWithTheLast) {
  const Adoption adoption;
  const fixtures::ScratchDirectory scratch;
  FakeSlurm slurm;
  slurm.variables["DOUBLE_RECORD"] = scratch.path("record");
  Node node;
  node.step_starts(slurm, torch(), agent_that("plan"));
  slurm.task = 1;
  slurm.wait_status = 9;
  EXPECT_EQ(node.task_ended(slurm, torch(), agent_that("plan")), 0);
  slurm.task = 0;
  slurm.wait_status = 256;
  const auto start = steady_clock::now();
  EXPECT_EQ(node.task_ended(slurm, torch(), agent_that("plan")), 0);
  EXPECT_TRUE(agents_end_within(5));  // by itself, before the exit hook
  node.step_ended();
  EXPECT_LT(elapsed(start), 1.5);
  EXPECT_FALSE(has_children());
  EXPECT_EQ(content(scratch.path("record")), "1:9 0:256 ");
}

TEST(Node, LeavesNoZombieOfTheStart) {
  const Adoption adoption;
  // Without adopting orphans, as in slurmstepd.
  const auto result = in_child([] {
    FakeSlurm slurm;
    Node node;
    node.step_starts(slurm, torch(), agent_that("plan"));
    return std::string(waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD ? "none" : "some");
  });
  EXPECT_EQ(result.output, "none");
  EXPECT_TRUE(agents_end_within(5));
}

// The process between slurmstepd and the agent briefly shares slurmstepd's memory.
TEST(Node, LeavesSlurmstepdsSignalsAsTheyAreWhenItStartsTheAgent) {
  const Adoption adoption;
  const auto result = in_child([] {
    static volatile std::sig_atomic_t came = 0;
    std::signal(SIGUSR1, [](int) { came = came + 1; });
    sigset_t blocked;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR2);
    pthread_sigmask(SIG_SETMASK, &blocked, nullptr);
    FakeSlurm slurm;
    Node node;
    node.step_starts(slurm, torch(), agent_that("plan"));
    sigset_t after;
    pthread_sigmask(SIG_SETMASK, nullptr, &after);
    std::string differ;
    for (int signal = 1; signal < NSIG; ++signal) {
      if (sigismember(&after, signal) != sigismember(&blocked, signal))
        differ += std::to_string(signal) + ' ';
    }
    std::raise(SIGUSR1);
    return differ + std::to_string(came);
  });
  EXPECT_EQ(result.output, "1");
  EXPECT_TRUE(agents_end_within(5));
}

TEST(Node, EndsTheAgentWithTheStepEvenWhenTasksNeverEnded) {
  const Adoption adoption;
  FakeSlurm slurm;
  Node node;
  node.step_starts(slurm, torch(), agent_that("plan"));
  const auto start = steady_clock::now();
  node.step_ended();
  EXPECT_LT(elapsed(start), 1.5);
  EXPECT_TRUE(agents_end_within(5));
}

TEST(Node, EndsTheAgentWhenSlurmstepdIsKilled) {
  const Adoption adoption;
  const auto result = in_child([] {
    FakeSlurm slurm;
    Node node;
    node.step_starts(slurm, torch(), agent_that("plan"));
    raise(SIGKILL);
    return std::string();
  });
  EXPECT_EQ(result.exit_code, 128 + SIGKILL);
  EXPECT_TRUE(agents_end_within(5));
}

// By then Slurm has sent its last SIGKILL to the job: it would never end a second agent.
TEST(Node, StartsNoSecondAgentWhateverBecameOfTheFirst) {
  for (const auto* const behaves : {"plan", "die-later"}) {
    const Adoption adoption;
    const fixtures::ScratchDirectory scratch;
    FakeSlurm slurm;
    slurm.variables["DOUBLE_STARTS"] = scratch.path("starts");
    Node node;
    const auto line = agent_that(behaves);
    node.step_starts(slurm, torch(), line);
    const auto start = steady_clock::now();
    EXPECT_EQ(node.task_ended(slurm, torch(), agent_that("plan")), 0);
    EXPECT_EQ(node.task_ended(slurm, torch(), agent_that("plan")), 0);
    node.step_ended();
    EXPECT_LT(elapsed(start), 1.5);
    EXPECT_TRUE(agents_end_within(5));
    EXPECT_EQ(content(scratch.path("starts")), "started ") << behaves;
  }
}

// Which processes a node without its agent has started, after its tasks ended with these wait statuses.
std::string started_without_agent(const std::vector<std::uint32_t>& statuses) {
  const Adoption adoption;
  const fixtures::ScratchDirectory scratch;
  FakeSlurm slurm;
  slurm.variables["DOUBLE_STARTS"] = scratch.path("starts");
  Node node;
  const auto line = agent_that("die-in-charge");
  node.step_starts(slurm, torch(), line);
  EXPECT_TRUE(agents_end_within(5));
  for (const auto status : statuses) {
    slurm.wait_status = status;
    EXPECT_EQ(node.task_ended(slurm, torch(), line), 0);
    ++slurm.task;
  }
  node.step_ended();
  EXPECT_TRUE(agents_end_within(5));
  return content(scratch.path("starts"));
}

// srun waits for the other ranks, as it was told: something must end them.
TEST(Node, HasAStepEndedWhoseAgentHasGoneWhenATaskFailsOnce) {
  EXPECT_EQ(started_without_agent({256, 256}), "started ends-the-step ");
}

TEST(Node, LeavesAStepThatSlurmEndsToSlurmThoughItsAgentHasGone) {
  for (const std::uint32_t status : {0U, 9U, 15U}) {
    EXPECT_EQ(started_without_agent({status}), "started ") << status;
  }
}

TEST(Node, WaitsForAnAgentThatLingersNoLongerThanItMust) {
  FakeSlurm slurm;
  Node node;
  const auto line = agent_that("linger");
  node.step_starts(slurm, torch(), line);
  const auto start = steady_clock::now();
  node.task_ended(slurm, torch(), agent_that("plan"));
  node.task_ended(slurm, torch(), agent_that("plan"));
  node.step_ended();
  EXPECT_LT(elapsed(start), 8);
}

// Once its socket is full, each further message would wait for it.
TEST(Node, WaitsForAnAgentThatIsStoppedNoLongerForManyTasks) {
  FakeSlurm slurm;
  slurm.facts.global_ids.resize(600);
  Node node;
  const auto line = agent_that("deaf");
  node.step_starts(slurm, torch(), line);
  const auto start = steady_clock::now();
  for (slurm.task = 0; slurm.task < 600; ++slurm.task) {
    node.task_ended(slurm, torch(), line);
  }
  node.step_ended();
  EXPECT_LT(elapsed(start), 8);
}

TEST(Node, WaitsForAnAgentThatSaysItIsBusy) {
  const fixtures::ScratchDirectory scratch;
  FakeSlurm slurm;
  slurm.variables["DOUBLE_RECORD"] = scratch.path("record");
  Node node;
  node.step_starts(slurm, torch(), agent_that("busy"));
  for (const std::uint32_t task : {0U, 1U}) {
    slurm.task = task;
    node.task_ended(slurm, torch(), agent_that("busy"));
  }
  node.step_ended();
  EXPECT_EQ(content(scratch.path("record")), "0:0 1:0 ");
}

TEST(Node, StartsNothingForAStepWhoseUserSlurmDoesNotTell) {
  const Adoption adoption;
  FakeSlurm slurm;
  slurm.user.reset();
  Node node;
  EXPECT_EQ(node.step_starts(slurm, torch(), agent_that("plan")), 0);
  EXPECT_FALSE(has_children());
  EXPECT_EQ(node.task_starts(slurm), -1);
  ASSERT_EQ(slurm.errors.size(), 1U);
  EXPECT_NE(slurm.errors[0].find("does not say whose step"), std::string::npos);
}

TEST(Node, IsNotHeldUpByAFloodFromTheAgentsSocket) {
  const Adoption adoption;
  const auto result = in_child([] {
    alarm(20);  // it would never return
    FakeSlurm slurm;
    Node node;
    node.step_starts(slurm, torch(), agent_that("flood"));
    node.step_ended();
    return std::string("returned");
  });
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.output, "returned");
  EXPECT_TRUE(agents_end_within(10));
}

// Slurm's contain_spank runs user_init in a process that shares only memory with slurmstepd.
TEST(Node, RefusesAStepWhoseUserInitRunsInAnotherProcess) {
  const auto result = in_child([] {
    FakeSlurm slurm;
    Node node;
    node.loaded();
    const pid_t contained = fork();
    if (contained == 0) {
      node.step_starts(slurm, torch(), agent_that("plans"));
      _exit(node.task_starts(slurm) == -1 && slurm.errors.size() == 1 &&
                    slurm.errors.front().find("contain_spank") != std::string::npos
                ? 0
                : 1);
    }
    int status = 0;
    waitpid(contained, &status, 0);
    return std::to_string(status);
  });
  EXPECT_EQ(result.output, "0");
}

TEST(Node, LeavesNoDescriptorBehind) {
  const auto before = fixtures::open_descriptors();
  for (const auto* const behaves : {"plan", "refuse", "crash", "half", "garbled-plan"}) {
    run_step(agent_that(behaves));
    EXPECT_EQ(fixtures::open_descriptors(), before) << behaves;
  }
}

}  // namespace
}  // namespace muster::spank
