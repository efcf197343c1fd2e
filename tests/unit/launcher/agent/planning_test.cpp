#include "launcher/agent/planning.hpp"

#include "fixtures/scratch_directory.hpp"
#include "launcher/site/installed.hpp"
#include "made_up_step.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace muster::agent {
namespace {

Agreement agreed() {
  Agreement agreement{};
  agreement.setup.profile.name = "torch";
  agreement.setup.resources.tasks.resize(1);
  agreement.rendezvous = {"10.0.0.1", 20001, Origin::rendezvous};
  agreement.exchange = 61001;
  agreement.warnings = {"node1: no GPU driver"};
  return agreement;
}

bool contains_text(const std::vector<std::string>& lines, const std::string& text) {
  return std::ranges::any_of(
      lines, [&](const auto& line) { return line.find(text) != std::string::npos; });
}

TEST(Planning, PlansEveryTaskOfTheNodeWithWhatWasAgreedOn) {
  const fixtures::ScratchDirectory scratch;
  const auto context = made_up_step({"node1"}, 0, {{"TMPDIR", scratch.path()}});
  const auto node = plan_node(context, agreed());
  EXPECT_EQ(node.plan.node, "node1");
  EXPECT_EQ(node.plan.tasks.size(), 1U);
  EXPECT_EQ(node.plan.warnings, std::vector<std::string>{"node1: no GPU driver"});
  EXPECT_EQ(node.profile, "torch");
  EXPECT_EQ(node.rendezvous.port, 20001);
  EXPECT_EQ(node.exchange.address, "10.0.0.1");
  EXPECT_EQ(node.exchange.port, 61001);
}

TEST(Planning, HasAnErrorDirectoryAndKeepsThePortsAsLongAsThePlan) {
  const fixtures::ScratchDirectory scratch;
  const auto context = made_up_step({"node1"}, 0, {{"TMPDIR", scratch.path()}});
  auto agreement = agreed();
  agreement.ports.rendezvous = port::hold_any({29871, 29872, 29873, 29874});
  ASSERT_TRUE(agreement.ports.rendezvous);
  const auto port = agreement.ports.rendezvous->port();
  {
    const auto node = plan_node(context, std::move(agreement));
    EXPECT_TRUE(std::filesystem::is_directory(node.errors->path()));
    EXPECT_FALSE(port::HeldPort::hold(port));
  }
  EXPECT_TRUE(std::filesystem::is_empty(scratch.path()));
  EXPECT_TRUE(port::HeldPort::hold(port));
}

// What the user learns about an exported address that leads elsewhere.
std::vector<std::string> remarks_on_address(std::uint32_t attempt, bool replaced) {
  const fixtures::ScratchDirectory scratch;
  auto context = made_up_step({"node1"}, 0, {{"TMPDIR", scratch.path()}});
  context.attempt.number = attempt;
  auto agreement = agreed();
  agreement.warnings.clear();
  agreement.exported = {
      {.name = "MASTER_ADDR", .value = "node9", .leads = rendezvous::Leads::elsewhere}};
  agreement.replaces_exported = replaced;
  return plan_node(context, std::move(agreement)).plan.warnings;
}

TEST(Planning, SaysWhichOfTwoAddressesCounts) {
  const auto kept = remarks_on_address(0, false);
  ASSERT_EQ(kept.size(), 1U);
  EXPECT_TRUE(kept[0].starts_with("MASTER_ADDR=node9 is exported, so it is kept")) << kept[0];
  const auto replaced = remarks_on_address(1, true);
  ASSERT_EQ(replaced.size(), 1U);
  EXPECT_TRUE(replaced[0].starts_with(
      "MASTER_ADDR=node9 is exported, but rank 0 of this attempt runs on node1"))
      << replaced[0];
  EXPECT_NE(remarks_on_address(0, true)[0].find("of this group"), std::string::npos);
}

TEST(Planning, ExplainsWhyItNamesNoInterface) {
  const fixtures::ScratchDirectory scratch;
  for (const bool explain : {false, true}) {
    auto context = made_up_step({"node1"}, 0, {{"TMPDIR", scratch.path()}});
    context.attempt.request.explain = explain;
    auto agreement = agreed();
    agreement.warnings.clear();
    agreement.setup.profile.environment = {
        {"NCCL_SOCKET_IFNAME", profile::Template::parse("{socket_ifname}", "test")}};
    agreement.network = {
        .interface = "eth0", .address = "10.0.0.1", .has_other_first_address = true};
    const auto warnings = plan_node(context, std::move(agreement)).plan.warnings;
    EXPECT_EQ(contains_text(warnings, "muster does not set NCCL_SOCKET_IFNAME"), explain);
  }
}

bool tasks_know_port(const std::string& value, Origin origin = Origin::rendezvous) {
  const fixtures::ScratchDirectory scratch;
  auto context = made_up_step({"node1"}, 0, {{"TMPDIR", scratch.path()}});
  context.ports.origin = origin;
  auto agreement = agreed();
  agreement.setup.profile.environment = {{"PLACE", profile::Template::parse(value, "test")}};
  return plan_node(context, std::move(agreement)).tasks_know_port;
}

TEST(Planning, KnowsWhetherTasksAreToldThePort) {
  EXPECT_TRUE(tasks_know_port("at {master_port}"));
  EXPECT_TRUE(tasks_know_port("{rendezvous}"));
  EXPECT_FALSE(tasks_know_port("{master_addr} {rank}"));
  EXPECT_FALSE(tasks_know_port("{rank}", Origin::slurm));
  EXPECT_TRUE(tasks_know_port("{rank}", Origin::option)) << "their user may have told them";
}

bool has_start_hook(const std::vector<std::string>& program, const std::string& users) {
  const fixtures::ScratchDirectory scratch;
  auto context = made_up_step({"node1"}, 0, {{"TMPDIR", scratch.path()}, {"PYTHONPATH", users}});
  context.facts.arguments = program;
  auto agreement = agreed();
  agreement.setup.profile.environment = {
      {"PYTHONPATH", profile::Template::parse("{python_path}", "test")}};
  const auto node = plan_node(context, std::move(agreement));
  return std::ranges::any_of(node.plan.tasks[0].variables, [](const EnvVar& variable) {
    return variable.name == "PYTHONPATH" && !variable.kept;
  });
}

TEST(Planning, LeavesOutTheStartHookWhereItWouldHideThePythonPathOfAnImage) {
  ASSERT_FALSE(site::installed_start_hook().empty());
  EXPECT_TRUE(has_start_hook({"python3", "train.py"}, ""));
  EXPECT_FALSE(has_start_hook({"apptainer", "exec", "x.sif", "python3"}, ""));
  EXPECT_TRUE(has_start_hook({"apptainer", "exec", "x.sif", "python3"}, "/mine"));
}

}  // namespace
}  // namespace muster::agent
