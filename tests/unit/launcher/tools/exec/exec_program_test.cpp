#include "launcher/tools/exec/exec_program.hpp"

#include "core/cpuset.hpp"
#include "launcher/os/own_cpus.hpp"

#include <cstdlib>
#include <functional>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace muster::exec {
namespace {

// What `body` returns in a separate process, so that its changes do not affect this test.
int in_child(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

wire::NodePlan two_tasks() {
  wire::NodePlan plan;
  plan.set = {{"WORLD_SIZE", "2"}};
  plan.unset = {"OLD"};
  plan.tasks.resize(2);
  plan.tasks[0].set = {{"RANK", "0"}};
  plan.tasks[1].set = {{"RANK", "1"}};
  return plan;
}

TEST(Part, HasWhatIsForAllAndForOneTask) {
  const auto part = part_of(two_tasks(), 1);
  ASSERT_EQ(part.tasks.size(), 1U);
  EXPECT_EQ(part.tasks[0].set[0].value, "1");
  EXPECT_EQ(part.set.size(), 1U);
  EXPECT_EQ(part.unset, std::vector<std::string>{"OLD"});
}

TEST(Apply, SetsAndUnsetsVariables) {
  const auto wrong = in_child([] {
    setenv("OLD", "1", 1);
    const auto done = apply(part_of(two_tasks(), 1));
    return done.remarks.empty() && getenv("OLD") == nullptr && std::string(getenv("RANK")) == "1" &&
                   std::string(getenv("WORLD_SIZE")) == "2"
               ? 0
               : 1;
  });
  EXPECT_EQ(wrong, 0);
}

TEST(Apply, RestrictsTheProcessToItsCpus) {
  const auto last = *os::own_cpus().first();
  EXPECT_EQ(in_child([&] {
              auto part = part_of(two_tasks(), 0);
              part.tasks[0].cpu_mask = CpuSet{last}.words();
              return apply(part).remarks.empty() && os::own_cpus() == CpuSet{last} ? 0 : 1;
            }),
            0);
}

TEST(Apply, TellsOfCpusThatTheKernelRefuses) {
  auto part = part_of(two_tasks(), 0);
  part.tasks[0].cpu_mask = CpuSet{8000}.words();
  EXPECT_EQ(in_child([&] {
              const auto done = apply(part);
              return done.remarks.size() == 1 && !done.bound && done.may_start ? 0 : 1;
            }),
            0);
}

TEST(Become, IsTheProgramFromThenOn) {
  EXPECT_EQ(in_child([] { return become({"sh", "-c", "exit 7"}); }), 7);
}

TEST(Become, ReturnsWhatShellsDoWhereThereIsNoProgram) {
  EXPECT_EQ(in_child([] { return become({"/nonexistent/train"}); }), exit_no_program);
}

}  // namespace
}  // namespace muster::exec
