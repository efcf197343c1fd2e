#include "core/plan.hpp"

#include "core/profile.hpp"
#include "core/wire/names.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster {
namespace {

// Two nodes of two tasks, in block order; this node is the second.
struct Inputs {
  Request request;
  Profile profile =
      load_profile("torch", {MUSTER_SOURCE_DIR "/config/profiles"}, trust_any_owner());
  Layout layout{{"node1", "node2"}, {0, 0, 1, 1}, "10.0.0.1"};
  NodeIndex node = 1;
  Rendezvous rendezvous{"10.0.0.1", 61234, Origin::rendezvous};
  NodeNetwork network{"eth0", "=mlx5_0,mlx5_1"};
  std::vector<TaskCpus> cpus{{CpuSet{0, 1, 2, 3}, 4}, {CpuSet{4, 5, 6, 7}, 4}};
  std::string error_directory = "/tmp/muster-42.0-abc";
  std::uint32_t attempt = 0;
  Environment environment;

  PlanInputs inputs() const {
    return {.request = request,
            .profile = profile,
            .layout = layout,
            .node = node,
            .rendezvous = rendezvous,
            .network = network,
            .cpus = cpus,
            .run_id = "42.0",
            .error_directory = error_directory,
            .attempt = attempt,
            .environment = environment};
  }
  NodePlan plan() const { return make_plan(inputs()); }
};

std::map<std::string, std::string> values(const TaskPlan& task) {
  std::map<std::string, std::string> map;
  for (const auto& variable : task.variables) map[variable.name] = variable.value;
  return map;
}

const EnvVar& variable(const TaskPlan& task, const std::string& name) {
  const auto found = std::find_if(task.variables.begin(), task.variables.end(),
                                  [&](const auto& each) { return each.name == name; });
  if (found == task.variables.end()) throw std::out_of_range(name);
  return *found;
}

std::string sent(const wire::TaskPlan& task, const std::string& name) {
  for (const auto& each : task.set) {
    if (each.name == name) return each.value;
  }
  return "(not set)";
}

std::set<std::string> words(const std::string& text) {
  std::set<std::string> found;
  std::string word;
  for (const char letter : text + ' ') {
    if (letter == ' ') {
      found.insert(word);
      word.clear();
    } else {
      word += letter;
    }
  }
  return found;
}

TEST(TorchPlan, SetsEveryVariableOfTheDesignWithItsExactText) {
  Inputs in;
  in.request.restarts = 3;
  const auto plan = in.plan();
  ASSERT_EQ(plan.tasks.size(), 2U);
  const std::map<std::string, std::string> expected{
      {"RANK", "3"},
      {"WORLD_SIZE", "4"},
      {"LOCAL_RANK", "1"},
      {"LOCAL_WORLD_SIZE", "2"},
      {"NODE_RANK", "1"},
      {"GROUP_RANK", "1"},
      {"GROUP_WORLD_SIZE", "2"},
      {"ROLE_NAME", "default"},
      {"ROLE_RANK", "3"},
      {"ROLE_WORLD_SIZE", "4"},
      {"MASTER_ADDR", "10.0.0.1"},
      {"MASTER_PORT", "61234"},
      {"TORCHELASTIC_RUN_ID", "42.0"},
      {"TORCHELASTIC_RESTART_COUNT", "0"},
      {"TORCHELASTIC_MAX_RESTARTS", "3"},
      {"TORCHELASTIC_ERROR_FILE", "/tmp/muster-42.0-abc/1/error.json"},
      {"TORCHELASTIC_USE_AGENT_STORE", "False"},
      {"OMP_NUM_THREADS", "4"},
      {"GLOO_SOCKET_IFNAME", "eth0"},
      {"NCCL_SOCKET_IFNAME", "eth0"},
      {"NCCL_IB_HCA", "=mlx5_0,mlx5_1"},
      {"PYTHONUNBUFFERED", "1"},
  };
  EXPECT_EQ(values(plan.tasks[1]), expected);
  EXPECT_EQ(plan.tasks[1].procid, 3U);
  EXPECT_EQ(plan.tasks[1].rank, 3U);
  EXPECT_EQ(plan.tasks[1].local_rank, 1U);
  EXPECT_EQ(plan.tasks[1].cpus, (CpuSet{4, 5, 6, 7}));
  EXPECT_TRUE(plan.warnings.empty());
}

TEST(TorchPlan, CountsTheAttempts) {
  Inputs in;
  in.attempt = 2;
  EXPECT_EQ(values(in.plan().tasks[0]).at("TORCHELASTIC_RESTART_COUNT"), "2");
}

TEST(TorchPlan, NamesTheOriginOfEachValue) {
  Inputs in;
  in.rendezvous.port_origin = Origin::slurm;
  in.request.sources[Key::restarts] = {Origin::option, "--distributed"};
  in.environment["GLOO_SOCKET_IFNAME"] = "ib0";
  const auto task = in.plan().tasks[0];
  EXPECT_EQ(variable(task, "RANK").origin, Origin::slurm);
  EXPECT_EQ(variable(task, "MASTER_ADDR").origin, Origin::rendezvous);
  EXPECT_EQ(variable(task, "MASTER_PORT").origin, Origin::slurm);
  EXPECT_EQ(variable(task, "TORCHELASTIC_MAX_RESTARTS").origin, Origin::option);
  EXPECT_EQ(variable(task, "OMP_NUM_THREADS").origin, Origin::binding);
  EXPECT_EQ(variable(task, "GLOO_SOCKET_IFNAME").origin, Origin::user);
  EXPECT_EQ(variable(task, "PYTHONUNBUFFERED").origin, Origin::profile);
}

TEST(TorchPlan, LeavesOutWhatIsNotKnown) {
  Inputs in;
  in.network = {};
  in.cpus = {TaskCpus{}, TaskCpus{}};
  in.error_directory.clear();
  in.rendezvous = {};
  const auto found = values(in.plan().tasks[0]);
  for (const auto* const name :
       {"NCCL_IB_HCA", "GLOO_SOCKET_IFNAME", "NCCL_SOCKET_IFNAME", "OMP_NUM_THREADS",
        "TORCHELASTIC_ERROR_FILE", "MASTER_ADDR", "MASTER_PORT"}) {
    EXPECT_FALSE(found.contains(name)) << name;
  }
  EXPECT_EQ(found.at("RANK"), "2");
}

TEST(Plan, LetsTheUsersOwnVariablesWin) {
  Inputs in;
  in.environment = {{"OMP_NUM_THREADS", "1"},
                    {"MASTER_ADDR", "proxy"},
                    {"NCCL_SOCKET_IFNAME", "^lo"},
                    {"NCCL_IB_HCA", ""},
                    {"PYTHONUNBUFFERED", "0"}};
  const auto plan = in.plan();
  const auto found = values(plan.tasks[0]);
  for (const auto& [name, value] : in.environment) EXPECT_EQ(found.at(name), value) << name;
  EXPECT_TRUE(plan.warnings.empty());
}

TEST(Plan, NeverLetsAnExportedIdentityWinAndSaysSoOnceForTheWholeStep) {
  Inputs in;
  in.environment = {{"RANK", "99"}, {"WORLD_SIZE", "1"}, {"LOCAL_RANK", "99"}};
  EXPECT_TRUE(in.plan().warnings.empty());  // the node of rank 0 says it
  in.node = 0;
  const auto plan = in.plan();
  EXPECT_EQ(values(plan.tasks[0]).at("RANK"), "0");
  EXPECT_EQ(values(plan.tasks[1]).at("RANK"), "1");
  EXPECT_EQ(values(plan.tasks[1]).at("WORLD_SIZE"), "4");
  ASSERT_EQ(plan.warnings.size(), 3U);
  EXPECT_NE(plan.warnings[0].find("RANK=99 in your environment is replaced"), std::string::npos);
}

TEST(Plan, TakesRankZerosNodeFromTheLayoutNotFromTheNodeList) {
  Inputs in;
  in.layout.node_of_task = {1, 1, 0, 0};
  in.environment = {{"WORLD_SIZE", "1"}};
  const auto plan = in.plan();
  EXPECT_EQ(values(plan.tasks[0]).at("NODE_RANK"), "0");
  EXPECT_EQ(values(plan.tasks[0]).at("RANK"), "0");
  EXPECT_EQ(plan.warnings.size(), 1U);
  in.node = 0;
  EXPECT_EQ(values(in.plan().tasks[0]).at("NODE_RANK"), "1");
  EXPECT_TRUE(in.plan().warnings.empty());
}

TEST(Plan, WarnsOnceWhereANodesRanksAreNotConsecutive) {
  Inputs in;
  in.layout.node_of_task = {0, 1, 0, 1};
  EXPECT_TRUE(in.plan().warnings.empty());
  in.node = 0;
  const auto warnings = in.plan().warnings;
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].find("ranks=contiguous"), std::string::npos);
  EXPECT_EQ(values(in.plan().tasks[1]).at("RANK"), "2");
}

TEST(Plan, RenumbersRanksWhenAskedAndDoesNotWarn) {
  Inputs in;
  in.layout.node_of_task = {0, 1, 0, 1};
  in.request.ranks = Ranks::contiguous;
  in.node = 0;
  const auto plan = in.plan();
  EXPECT_TRUE(plan.warnings.empty());
  EXPECT_EQ(values(plan.tasks[1]).at("RANK"), "1");
  EXPECT_EQ(values(plan.tasks[1]).at("ROLE_RANK"), "1");
  EXPECT_EQ(plan.tasks[1].procid, 2U);
  in.node = 1;
  EXPECT_EQ(values(in.plan().tasks[0]).at("RANK"), "2");
}

TEST(Plan, CountsLocalRanksOnUnevenNodes) {
  Inputs in;
  in.layout = {{"a", "b", "c"}, {0, 0, 0, 1, 2, 2}, ""};
  in.node = 2;
  const auto found = values(in.plan().tasks[1]);
  EXPECT_EQ(found.at("RANK"), "5");
  EXPECT_EQ(found.at("LOCAL_RANK"), "1");
  EXPECT_EQ(found.at("LOCAL_WORLD_SIZE"), "2");
  EXPECT_EQ(found.at("WORLD_SIZE"), "6");
  EXPECT_EQ(found.at("GROUP_WORLD_SIZE"), "3");
}

TEST(PlanOnTheWire, CarriesVariablesAndMaskOfEachTask) {
  Inputs in;
  const auto message = to_wire(in.plan());
  ASSERT_EQ(message.tasks.size(), 2U);
  EXPECT_EQ(sent(message.tasks[0], "RANK"), "2");
  EXPECT_EQ(sent(message.tasks[1], "RANK"), "3");
  EXPECT_EQ(message.tasks[0].cpu_mask, std::vector<std::uint64_t>{0x0F});
  EXPECT_EQ(message.tasks[1].cpu_mask, std::vector<std::uint64_t>{0xF0});
  in.cpus = {TaskCpus{}, TaskCpus{}};
  EXPECT_TRUE(to_wire(in.plan()).tasks[0].cpu_mask.empty());
}

TEST(PlanOnTheWire, ListsInMusterSetWhatIsMustersAndNotTheUsers) {
  Inputs in;
  in.environment = {{"OMP_NUM_THREADS", "1"}, {"RANK", "7"}};
  const auto plan = in.plan();
  const auto names = words(sent(to_wire(plan).tasks[0], wire::set_variable));
  EXPECT_FALSE(names.contains("OMP_NUM_THREADS"));
  EXPECT_TRUE(names.contains("RANK"));
  EXPECT_TRUE(names.contains("MASTER_PORT"));
  EXPECT_EQ(names.size(), plan.tasks[0].variables.size() - 1);
}

TEST(PlanOnTheWire, PassesWarningsOn) {
  Inputs in;
  in.node = 0;
  in.layout.node_of_task = {0, 1, 0, 1};
  EXPECT_EQ(to_wire(in.plan()).warnings, in.plan().warnings);
}

}  // namespace
}  // namespace muster
