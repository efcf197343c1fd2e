#include "spank/srun.hpp"

#include "fake_slurm.hpp"
#include "in_child.hpp"
#include "spank/sbatch.hpp"
#include "wire/layout_line.hpp"
#include "wire/variables.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

namespace muster::spank {
namespace {

using Words = std::vector<std::string>;

const Plugstack line{.muster = "/usr/bin/muster", .config = "/etc/muster.yaml", .error = {}};
const Plugstack doubled{
    .muster = AGENT_DOUBLE, .config = "/c", .trust_any_owner = true, .error = {}};

Option given(const char* value) {
  Option option;
  option.accept(value);
  return option;
}

SrunProcess srun(Words arguments, std::size_t program_index) {
  return {.arguments = std::move(arguments),
          .plugin_directory = {},
          .mpi_default = {},
          .executable = "/usr/bin/srun",
          .program_index = program_index,
          .pid = 100,
          .parent = 50,
          .supervisor_pid = std::nullopt,
          .environment_value = std::nullopt};
}

// `srun --distributed=torch ./train`
SrunProcess plain() {
  return srun({"srun", "--distributed=torch", "./train"}, 2);
}

const char* value(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? "-" : text;
}

TEST(SupervisorCommand, NamesSlurmsPluginDirectoryWhereItIsKnown) {
  auto process = plain();
  process.plugin_directory = "/usr/lib/slurm";
  const auto command = supervisor_command(given("torch"), line, process);
  ASSERT_TRUE(command);
  EXPECT_EQ(std::ranges::count(*command, "--slurm-plugins=/usr/lib/slurm"), 1);
}

TEST(SupervisorCommand, NamesTheSitesMpiDefaultWhereItIsKnown) {
  auto process = plain();
  process.mpi_default = "pmi2";
  const auto command = supervisor_command(given("torch"), line, process);
  ASSERT_TRUE(command);
  EXPECT_EQ(std::ranges::count(*command, "--mpi-default=pmi2"), 1);
}

TEST(SupervisorCommand, KeepsEveryArgumentOfSrunExactly) {
  const auto command = supervisor_command(
      given("torch,verbose"), line,
      srun({"srun", "-N2", "--distributed=torch,verbose", "./train", "", "a b", "-x", "--", "é\n"},
           3));
  ASSERT_TRUE(command);
  EXPECT_EQ(*command,
            (Words{"/usr/bin/muster", "supervise", "--distributed=torch,verbose",
                   "--config=/etc/muster.yaml", "--program-index=3", "--", "/usr/bin/srun", "-N2",
                   "--distributed=torch,verbose", "./train", "", "a b", "-x", "--", "é\n"}));
}

TEST(SupervisorCommand, PassesTheTestSwitchOn) {
  const auto command = supervisor_command(given(nullptr), doubled, plain());
  ASSERT_TRUE(command);
  EXPECT_EQ((*command)[2], "--distributed=");
  EXPECT_EQ((*command)[4], "--trust-any-owner");
}

TEST(SupervisorCommand, SaysWhereTheProgramIsOnlyWhenItKnows) {
  for (const std::size_t index : {std::size_t{0}, std::size_t{3}, std::size_t{99}}) {
    auto process = plain();
    process.program_index = index;
    const auto command = supervisor_command(given("torch"), line, process);
    ASSERT_TRUE(command);
    EXPECT_EQ((*command)[4], "--") << index;
  }
}

TEST(SupervisorCommand, FindsSrunByNameWhereTheKernelDoesNotTell) {
  auto process = plain();
  process.executable.clear();
  EXPECT_EQ((*supervisor_command(given("torch"), line, process))[6], "srun");
  process.arguments.clear();
  process.program_index = 0;
  EXPECT_EQ(supervisor_command(given("torch"), line, process)->back(), "srun");
}

TEST(SupervisorCommand, IsNoneWhenASupervisorIsTheParentOrTheProcessItself) {
  for (const auto* const guard : {"50", "100"}) {
    auto process = plain();
    process.supervisor_pid = guard;
    EXPECT_FALSE(supervisor_command(given("torch"), line, process)) << guard;
  }
}

TEST(SupervisorCommand, IgnoresTheGuardOfAnotherProcess) {
  for (const auto* const guard : {"51", "", "0", "5", "500", "50 ", "x"}) {
    auto process = plain();
    process.supervisor_pid = guard;
    EXPECT_TRUE(supervisor_command(given("torch"), line, process)) << guard;
  }
}

TEST(SupervisorCommand, LeavesSallocsInteractiveStepAlone) {
  const Words interactive{"srun", "--interactive", "--pty", "/bin/bash"};
  EXPECT_FALSE(supervisor_command(given("torch"), line, srun(interactive, 3)));
  EXPECT_FALSE(supervisor_command(given("torch"), line, srun(interactive, 0)));
  // The program's own --interactive says nothing about the step.
  EXPECT_TRUE(
      supervisor_command(given("torch"), line, srun({"srun", "-n2", "sh", "--interactive"}, 2)));
}

TEST(SupervisorCommand, FollowsTheTwinUnlessTheOptionSaysOtherwise) {
  auto process = plain();
  process.environment_value = "none";
  EXPECT_EQ((*supervisor_command(Option(), line, process))[2], "--distributed=none");
  EXPECT_EQ((*supervisor_command(given("torch"), line, process))[2], "--distributed=torch");
  EXPECT_FALSE(supervisor_command(given("off"), line, process));
  process.environment_value = "off";
  EXPECT_FALSE(supervisor_command(Option(), line, process));
  process.environment_value = std::nullopt;
  EXPECT_FALSE(supervisor_command(Option(), line, process));
}

TEST(Srun, GoesOnUntouchedWhenMusterIsNotAskedFor) {
  FakeSlurm slurm;
  Plugstack wrong = line;
  wrong.error = "a wrong line is nobody's business here";
  EXPECT_FALSE(asks_for_muster(Option()));
  EXPECT_TRUE(asks_for_muster(given("off")));  // its meaning is determined later
  EXPECT_EQ(Srun().options_parsed(slurm, given("off"), wrong), 0);
  EXPECT_EQ(slurm.asked, 0);
  EXPECT_TRUE(slurm.errors.empty());
}

TEST(Srun, HandsOverWithTheEnvironmentThatItsUserGaveIt) {
  const auto result = in_child([] {
    FakeSlurm slurm;
    Srun().options_parsed(slurm, given("torch"), doubled);
    return std::string("not replaced");
  });
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_TRUE(result.output.starts_with("supervise\n--distributed=torch\n--config=/c\n"))
      << result.output;
}

TEST(Srun, LeavesNothingOfTheSupervisorBehindWhenItGoesOn) {
  const auto supervised = in_child([] {
    setenv(wire::supervisor_variable, std::to_string(getppid()).c_str(), 1);
    setenv(wire::request_variable, "{}", 1);
    FakeSlurm slurm;
    const int result = Srun().options_parsed(slurm, given("torch"), doubled);
    return std::to_string(result) + value(wire::supervisor_variable) +
           value(wire::request_variable);
  });
  EXPECT_EQ(supervised.output, "0-{}");
  const auto off = in_child([] {
    setenv(wire::supervisor_variable, "1", 1);
    setenv(wire::request_variable, "{}", 1);
    FakeSlurm slurm;
    const int result = Srun().options_parsed(slurm, given("off"), doubled);
    return std::to_string(result) + value(wire::supervisor_variable) +
           value(wire::request_variable);
  });
  EXPECT_EQ(off.output, "0--");
}

// What srun does for `srun FIRST : SECOND`, as seen by the shim of a supervised srun.
std::string components(const Option& first, const Option& second) {
  return in_child([&] {
           setenv(wire::supervisor_variable, std::to_string(getppid()).c_str(), 1);
           setenv(wire::request_variable, "{}", 1);
           FakeSlurm slurm;
           Srun srun;
           std::string text;
           for (const auto& option : {first, second}) {
             srun.component_parsed();
             text += std::to_string(
                 asks_for_muster(option) ? srun.options_parsed(slurm, option, doubled) : 0);
           }
           srun.step_created(slurm);
           text += " of " + std::to_string(slurm.components_asked);
           return slurm.errors.empty() ? text : text + ' ' + slurm.errors[0];
         })
      .output;
}

TEST(MisspelledOptionVariable, IsNearlyTheOptionsVariable) {
  const auto found = [](std::vector<std::string> entries) {
    std::vector<char*> environment;
    for (auto& entry : entries) environment.push_back(entry.data());
    environment.push_back(nullptr);
    return misspelled_option_variable(environment.data());
  };
  EXPECT_EQ(found({"A=1", "MUSTER_DISTRIBUTD=torch"}), "MUSTER_DISTRIBUTD");
  EXPECT_EQ(
      found({"MUSTER_DISTRIBUTED=torch", "MUSTER_DIRECTORY=/a", "XMUSTER_DIST=1", "MUSTER_D"}), "");
  EXPECT_EQ(found({}), "");
  EXPECT_EQ(misspelled_option_variable(nullptr), "");
}

TEST(Srun, StartsNoSupervisorForTheNextComponent) {
  EXPECT_EQ(components(given("torch"), given("torch")), "00 of 2");
  EXPECT_EQ(components(Option(), given("torch")), "00 of 2");
}

TEST(Srun, FailsWhenTwoComponentsContradictEachOther) {
  EXPECT_EQ(components(given("torch"), given("none")),
            "0-1 of 2 muster: --distributed=torch and --distributed=none in one step: the option "
            "applies to all components; use it only once");
  EXPECT_TRUE(components(given("torch"), given("off")).starts_with("0-1"));
  EXPECT_TRUE(components(given("off"), given("torch")).starts_with("0-1"));
}

TEST(Srun, FailsWithOneLineWhenMusterCannotBeUsed) {
  FakeSlurm slurm;
  Plugstack wrong = line;
  wrong.error = "bad argument 'x'";
  EXPECT_EQ(Srun().options_parsed(slurm, given("torch"), wrong), -1);
  EXPECT_EQ(slurm.errors, Words{"muster: bad argument 'x'"});
  wrong.error.clear();
  wrong.muster = "/nonexistent/muster";
  EXPECT_EQ(Srun().options_parsed(slurm, given("torch"), wrong), -1);
  ASSERT_EQ(slurm.errors.size(), 2U);
  EXPECT_NE(slurm.errors[1].find("/nonexistent/muster"), std::string::npos);
}

TEST(Submission, LetsMusterJudgeTheValue) {
  FakeSlurm slurm;
  EXPECT_EQ(submission_options_parsed(slurm, Option(), doubled), 0);
  EXPECT_EQ(submission_options_parsed(slurm, given("off"), doubled), 0);
  EXPECT_EQ(submission_options_parsed(slurm, given("torch"), doubled), 0);
  EXPECT_EQ(submission_options_parsed(slurm, given("bad"), doubled), -1);
  EXPECT_TRUE(slurm.errors.empty());  // muster itself has said why
}

TEST(Submission, FailsWithOneLineWhenMusterCannotBeUsed) {
  FakeSlurm slurm;
  Plugstack absent = line;
  absent.muster = "/nonexistent/muster";
  EXPECT_EQ(submission_options_parsed(slurm, given("torch"), absent), -1);
  EXPECT_EQ(slurm.errors.size(), 1U);
}

TEST(Submission, EndsWithoutSubmittingWhenOnlyHelpWasAskedFor) {
  const auto result = in_child([] {
    FakeSlurm slurm;
    submission_options_parsed(slurm, given("help"), doubled);
    return std::string("went on");
  });
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.output, "");
}

class StepCreated : public testing::Test {
 protected:
  void SetUp() override {
    setenv(wire::request_variable, "{}", 1);
    unsetenv(wire::step_variable);
  }
  void TearDown() override {
    unsetenv(wire::request_variable);
    unsetenv(wire::step_variable);
  }
  FakeSlurm slurm_;
};

TEST_F(StepCreated, SendsTheLayoutAlong) {
  slurm_.layout = StepLayout{{{42, "node[1-2]", {{1, 2}, {0, 3}}}}, "10.0.0.2"};
  EXPECT_EQ(Srun().step_created(slurm_), 0);
  const auto sent = wire::decode_step_layout(value(wire::step_variable));
  ASSERT_TRUE(sent);
  EXPECT_EQ(sent->nodes, "node[1-2]");
  EXPECT_EQ(sent->address, "10.0.0.2");
  EXPECT_EQ(wire::decode_mapping(sent->mapping), (std::vector<std::uint32_t>{1, 0, 0, 1}));
  EXPECT_TRUE(sent->components.empty());
}

TEST_F(StepCreated, JoinsTheComponentsOfAHeterogeneousStep) {
  slurm_.layout = StepLayout{{{42, "node1", {{0}}}, {43, "node[7-8]", {{0, 1}, {2}}}}, "10.0.0.1"};
  EXPECT_EQ(Srun().step_created(slurm_), 0);
  EXPECT_STREQ(value(wire::step_variable),
               "2|node1,node[7-8]|0+1x1,1+1x2,2+1x1|10.0.0.1|42:1:1,43:2:3");
}

// A step as a supervisor starts it, with that socket.
class SupervisedStepCreated : public StepCreated {
 protected:
  void parse(const std::string& socket) {
    setenv(wire::step_socket_variable, socket.c_str(), 1);
    setenv(wire::supervisor_variable, std::to_string(getppid()).c_str(), 1);
    EXPECT_EQ(srun_.options_parsed(slurm_, given("torch"), doubled), 0);
    // srun is about to copy its environment for the tasks.
    EXPECT_STREQ(value(wire::step_socket_variable), "-");
  }
  Srun srun_;
};

TEST_F(SupervisedStepCreated, TellsTheSupervisorOnce) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends), 0);
  parse(std::to_string(ends[1]));
  slurm_.layout = StepLayout{{{42, "node[1-2]", {{1, 2}, {0, 3}}}}, "10.0.0.2"};
  EXPECT_EQ(srun_.step_created(slurm_), 0);
  EXPECT_EQ(srun_.step_created(slurm_), 0);
  std::array<char, 256> text{};
  ASSERT_GT(recv(ends[0], text.data(), text.size() - 1, MSG_DONTWAIT), 0);
  long long nanoseconds = 0;
  int read = 0;
  ASSERT_EQ(sscanf(text.data(), "%lld %n", &nanoseconds, &read), 1);
  EXPECT_GT(nanoseconds, 0);
  EXPECT_STREQ(text.data() + read, value(wire::step_variable));
  EXPECT_EQ(recv(ends[0], text.data(), text.size(), MSG_DONTWAIT), -1);
  for (const int end : ends) close(end);
}

// Whatever has set it, and whatever it is.
TEST_F(SupervisedStepCreated, IsNotHarmedByADescriptorThatIsNoSocket) {
  for (const auto* const descriptor : {"1", "-1", "9999", "none", ""}) {
    parse(descriptor);
    EXPECT_EQ(srun_.step_created(slurm_), 0);
  }
}

TEST_F(StepCreated, AsksNothingWithoutARequest) {
  EXPECT_TRUE(has_request());
  unsetenv(wire::request_variable);
  EXPECT_FALSE(has_request());
}

TEST_F(StepCreated, SendsNothingWhereSlurmDoesNotTellOrTellsNonsense) {
  EXPECT_EQ(Srun().step_created(slurm_), 0);
  EXPECT_STREQ(value(wire::step_variable), "-");
  slurm_.layout = StepLayout{{{42, "node[1-2]", {{0}, {4'000'000'000}}}}, ""};
  EXPECT_EQ(Srun().step_created(slurm_), 0);
  EXPECT_STREQ(value(wire::step_variable), "-");
}

}  // namespace
}  // namespace muster::spank
