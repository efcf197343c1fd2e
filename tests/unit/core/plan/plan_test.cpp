#include "core/plan/plan.hpp"

#include "core/file/trusted_file.hpp"
#include "core/layout/layout.hpp"
#include "core/option/keys.hpp"
#include "core/profile/profile.hpp"
#include "core/request/request.hpp"
#include "core/topology/topology.hpp"
#include "wire/variables.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::plan {
namespace {

// Two nodes of two tasks in block order; this node is the second.
struct Inputs {
  request::Request request;
  profile::Profile profile = profile::load_profile("torch", {MUSTER_SOURCE_DIR "/config/profiles"},
                                                   file::trust_any_owner());
  layout::Layout layout{{"node1", "node2"}, {0, 0, 1, 1}, "10.0.0.1"};
  layout::NodeIndex node = 1;
  rendezvous::Rendezvous rendezvous{"10.0.0.1", 61234, Origin::rendezvous};
  bool replaces_exported = false;
  NodeNetwork network{.interface = "eth0", .address = "10.0.0.2"};
  std::vector<resources::TaskResources> resources{
      {.cpus = CpuSet{0, 1, 2, 3}, .threads = 4, .fabric = {"=mlx5_0,mlx5_1", "mlx5_0:1", "cxi0"}},
      {.cpus = CpuSet{4, 5, 6, 7}, .threads = 4, .fabric = {"=mlx5_0,mlx5_1", "mlx5_1:1", "cxi0"}}};
  Endpoints endpoints;
  std::string error_directory = "/tmp/muster-42.0-abc";
  std::string log_directory;
  profile::StoreServer store;
  std::uint32_t attempt = 0;
  Environment environment;

  PlanInputs inputs() const {
    return {.request = request,
            .profile = profile,
            .layout = layout,
            .node = node,
            .rendezvous = rendezvous,
            .replaces_exported = replaces_exported,
            .network = network,
            .resources = resources,
            .endpoints = endpoints,
            .run_id = "42.0",
            .error_directory = error_directory,
            .log_directory = log_directory,
            .store = store,
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

std::string sent(const wire::NodePlan& plan, std::size_t task, const std::string& name) {
  for (const auto* const set : {&plan.set, &plan.tasks[task].set}) {
    for (const auto& each : *set) {
      if (each.name == name) return each.value;
    }
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

TEST(TorchPlan, TellsTheRanksWhoServesTheStore) {
  Inputs in;
  in.store = {option::Store::agent, Origin::option};
  const auto plan = in.plan();
  const auto& found = variable(plan.tasks[0], "TORCHELASTIC_USE_AGENT_STORE");
  EXPECT_EQ(found.value, "True");
  EXPECT_EQ(found.origin, Origin::option);
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
      {"OMP_PLACES", "cores"},
      {"OMP_PROC_BIND", "false"},
      {"GLOO_SOCKET_IFNAME", "eth0"},
      {"NCCL_SOCKET_IFNAME", "eth0"},
      {"NCCL_IB_HCA", "=mlx5_0,mlx5_1"},
      {"NCCL_RAS_ADDR", "127.99.115.124:28028"},
      {"VLLM_HOST_IP", "10.0.0.2"},
      {"UCX_NET_DEVICES", "mlx5_1:1"},
      {"FI_CXI_DEVICE_NAME", "cxi0"},
      {"PYTHONUNBUFFERED", "1"},
      {"HYDRA_FULL_ERROR", "1"},
  };
  EXPECT_EQ(values(plan.tasks[1]), expected);
  EXPECT_EQ(plan.tasks[1].procid, 3U);
  EXPECT_EQ(plan.tasks[1].rank, 3U);
  EXPECT_EQ(plan.tasks[1].local_rank, 1U);
  EXPECT_EQ(plan.tasks[1].resources.cpus, (CpuSet{4, 5, 6, 7}));
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
  in.request.sources[option::Key("restarts")] = {Origin::option, "--distributed"};
  in.environment.set("GLOO_SOCKET_IFNAME", "ib0");
  const auto task = in.plan().tasks[0];
  EXPECT_EQ(variable(task, "RANK").origin, Origin::slurm);
  EXPECT_EQ(variable(task, "MASTER_ADDR").origin, Origin::rendezvous);
  EXPECT_EQ(variable(task, "MASTER_PORT").origin, Origin::slurm);
  EXPECT_EQ(variable(task, "TORCHELASTIC_MAX_RESTARTS").origin, Origin::option);
  EXPECT_EQ(variable(task, "OMP_NUM_THREADS").origin, Origin::binding);
  EXPECT_EQ(variable(task, "NCCL_IB_HCA").origin, Origin::binding);
  EXPECT_EQ(variable(task, "UCX_NET_DEVICES").origin, Origin::binding);
  EXPECT_EQ(variable(task, "GLOO_SOCKET_IFNAME").origin, Origin::user);
  EXPECT_EQ(variable(task, "PYTHONUNBUFFERED").origin, Origin::profile);
}

TEST(TorchPlan, LeavesOutWhatIsNotKnown) {
  Inputs in;
  in.network = {};
  in.resources = {resources::TaskResources{}, resources::TaskResources{}};
  in.error_directory.clear();
  in.rendezvous = {};
  const auto found = values(in.plan().tasks[0]);
  for (const auto* const name :
       {"NCCL_IB_HCA", "UCX_NET_DEVICES", "FI_CXI_DEVICE_NAME", "GLOO_SOCKET_IFNAME",
        "NCCL_SOCKET_IFNAME", "OMP_NUM_THREADS", "OMP_PLACES", "TORCHELASTIC_ERROR_FILE",
        "MASTER_ADDR", "MASTER_PORT", "TORCH_FR_DUMP_TEMP_FILE",
        "TORCH_NCCL_DEBUG_INFO_TEMP_FILE"}) {
    EXPECT_FALSE(found.contains(name)) << name;
  }
  EXPECT_EQ(found.at("RANK"), "2");
}

TEST(TorchPlan, SendsTheFlightRecordersFilesIntoTheLogs) {
  Inputs in;
  in.log_directory = "/home/alice/logs/42.0-attempt-0";
  const auto found = values(in.plan().tasks[0]);
  const std::string stem = "/home/alice/logs/42.0-attempt-0/comm_lib_trace_rank_";
  EXPECT_EQ(found.at("TORCH_FR_DUMP_TEMP_FILE"), stem);
  EXPECT_EQ(found.at("TORCH_NCCL_DEBUG_INFO_TEMP_FILE"), stem);
}

TEST(TorchPlan, LeavesTheFlightRecordersFilesWhereTheUserWantsThemByEitherName) {
  for (const auto* const name : {"TORCH_FR_DUMP_TEMP_FILE", "TORCH_NCCL_DEBUG_INFO_TEMP_FILE"}) {
    Inputs in;
    in.log_directory = "/home/alice/logs/42.0-attempt-0";
    in.environment.set(name, "/scratch/trace_");
    const auto found = values(in.plan().tasks[0]);
    for (const auto* const set : {"TORCH_FR_DUMP_TEMP_FILE", "TORCH_NCCL_DEBUG_INFO_TEMP_FILE"}) {
      const auto value = found.find(set);
      if (value == found.end()) continue;
      EXPECT_EQ(value->second, "/scratch/trace_") << name << " sets " << set;
    }
  }
}

TEST(MpiPlan, BindsThreadsToTheTasksOwnCores) {
  Inputs in;
  in.profile =
      profile::load_profile("mpi", {MUSTER_SOURCE_DIR "/config/profiles"}, file::trust_any_owner());
  const auto plan = in.plan();
  EXPECT_EQ(values(plan.tasks[1]).at("OMP_PROC_BIND"), "spread");
  EXPECT_EQ(variable(plan.tasks[1], "OMP_PROC_BIND").origin, Origin::binding);
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

TEST(Plan, ReplacesAnAddressThatIsOutOfDateAndKeepsThePort) {
  Inputs in;
  in.environment = {{"MASTER_ADDR", "node9"}, {"MASTER_PORT", "29500"}};
  in.replaces_exported = true;
  const auto task = in.plan().tasks[0];
  EXPECT_EQ(variable(task, "MASTER_ADDR").value, "10.0.0.1");
  EXPECT_EQ(variable(task, "MASTER_ADDR").origin, Origin::rendezvous);
  EXPECT_FALSE(variable(task, "MASTER_ADDR").kept);
  EXPECT_EQ(variable(task, "MASTER_PORT").value, "29500");
}

TEST(Plan, TakesEmptyValuesForNoneWhereOnlyAValueMeansAnything) {
  Inputs in;
  in.node = 0;
  in.environment = {{"MASTER_ADDR", ""}, {"MASTER_PORT", ""}, {"RANK", ""}, {"WORLD_SIZE", ""}};
  const auto plan = in.plan();
  const auto found = values(plan.tasks[0]);
  EXPECT_EQ(found.at("MASTER_ADDR"), "10.0.0.1");
  EXPECT_EQ(found.at("MASTER_PORT"), "61234");
  EXPECT_EQ(found.at("RANK"), "0");
  EXPECT_TRUE(plan.warnings.empty());
}

TEST(Plan, NamesNoInterfaceWhoseFirstAddressIsAnother) {
  Inputs in;
  in.network.has_other_first_address = true;
  const auto found = values(in.plan().tasks[0]);
  EXPECT_FALSE(found.contains("GLOO_SOCKET_IFNAME"));
  EXPECT_FALSE(found.contains("NCCL_SOCKET_IFNAME"));
  EXPECT_EQ(found.at("VLLM_HOST_IP"), "10.0.0.2");
}

TEST(Plan, TellsNcclThatANameIsWholeWhereAnotherInterfacesBeginsWithIt) {
  Inputs in;
  in.network.is_prefix = true;
  const auto found = values(in.plan().tasks[0]);
  EXPECT_EQ(found.at("NCCL_SOCKET_IFNAME"), "=eth0");
  EXPECT_EQ(found.at("GLOO_SOCKET_IFNAME"), "eth0");
  in.network.interface.clear();
  EXPECT_FALSE(values(in.plan().tasks[0]).contains("NCCL_SOCKET_IFNAME"));
}

TEST(Plan, NeverLetsAnExportedIdentityWinAndSaysSoOnceForTheWholeStep) {
  Inputs in;
  in.environment = {{"RANK", "99"}, {"WORLD_SIZE", "1"}, {"LOCAL_RANK", "99"}};
  EXPECT_TRUE(in.plan().warnings.empty());  // rank 0's node reports it
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
  in.request.ranks = option::Ranks::contiguous;
  in.node = 0;
  const auto plan = in.plan();
  EXPECT_TRUE(plan.warnings.empty());
  EXPECT_EQ(values(plan.tasks[1]).at("RANK"), "1");
  EXPECT_EQ(values(plan.tasks[1]).at("ROLE_RANK"), "1");
  EXPECT_EQ(plan.tasks[1].procid, 2U);
  in.node = 1;
  EXPECT_EQ(values(in.plan().tasks[0]).at("RANK"), "2");
}

// A profile consisting of these lines of `environment:`.
profile::Profile profile_of(const std::string& lines) {
  return profile::resolve_profile("p", [&](const std::string&) {
    return profile::parse_profile("environment: {" + lines + "}", "p.yaml");
  });
}

TEST(Plan, CountsAcrossNodesAsHorovodDoes) {
  Inputs in;
  in.profile = profile_of("R: \"{cross_rank}\", S: \"{cross_size}\"");
  in.layout = {{"a", "b", "c"}, {0, 0, 1, 2, 2}, ""};
  in.node = 2;
  EXPECT_EQ(values(in.plan().tasks[0]).at("R"), "2");
  EXPECT_EQ(values(in.plan().tasks[0]).at("S"), "3");
  EXPECT_EQ(values(in.plan().tasks[1]).at("R"), "1");
  EXPECT_EQ(values(in.plan().tasks[1]).at("S"), "2");
}

TEST(Plan, SaysHowManyTasksANodeHasOnlyWhereNodesAgree) {
  Inputs in;
  in.profile = profile_of("N: \"{ntasks_per_node}\"");
  EXPECT_EQ(values(in.plan().tasks[0]).at("N"), "2");
  in.layout.node_of_task = {0, 1, 1};
  EXPECT_FALSE(values(in.plan().tasks[0]).contains("N"));
}

TEST(Plan, PutsAnIpv6AddressInBracketsBeforeItsPort) {
  Inputs in;
  in.profile = profile_of("A: \"{rendezvous}\", B: \"{master_addr}\", C: \"{local_addr}\"");
  EXPECT_EQ(values(in.plan().tasks[0]).at("A"), "10.0.0.1:61234");
  EXPECT_EQ(values(in.plan().tasks[0]).at("C"), "10.0.0.2");
  in.rendezvous.address = "fd00::1";
  EXPECT_EQ(values(in.plan().tasks[0]).at("A"), "[fd00::1]:61234");
  EXPECT_EQ(values(in.plan().tasks[0]).at("B"), "fd00::1");
}

TEST(Plan, ListsEveryRanksEndpointAsJson) {
  Inputs in;
  in.profile = profile_of("T: '{{\"worker\":[{endpoints}],\"index\":{rank}}}', P: \"{task_port}\"");
  in.endpoints = {{"10.0.0.1:7000", "10.0.0.1:7001", "10.0.0.2:7000", "10.0.0.2:7001"},
                  {7000, 7001}};
  const auto found = values(in.plan().tasks[1]);
  EXPECT_EQ(found.at("T"),
            "{\"worker\":[\"10.0.0.1:7000\",\"10.0.0.1:7001\",\"10.0.0.2:7000\","
            "\"10.0.0.2:7001\"],\"index\":3}");
  EXPECT_EQ(found.at("P"), "7001");
}

TEST(Plan, TellsATaskItsOwnGpusAndHowManyWorkersTheyCarry) {
  Inputs in;
  in.profile =
      profile_of("G: \"{gpu_indexes}\", W: \"{workers}\", T: \"{worker_threads}\", V: mine");
  EXPECT_FALSE(values(in.plan().tasks[0]).contains("G"));
  EXPECT_FALSE(values(in.plan().tasks[0]).contains("W"));
  in.resources[1].view = {
      {{"CUDA_VISIBLE_DEVICES", "3,2", Origin::binding}, {"V", "theirs", Origin::binding}}, {0, 1}};
  const auto found = values(in.plan().tasks[1]);
  EXPECT_EQ(found.at("G"), "0,1");
  EXPECT_EQ(found.at("W"), "2");
  EXPECT_EQ(found.at("T"), "2");
  EXPECT_EQ(found.at("CUDA_VISIBLE_DEVICES"), "3,2");
  EXPECT_EQ(found.at("V"), "mine");  // a profile that sets one itself has a reason
}

// A batch job's SLURM_NTASKS_PER_NODE is in every step's environment, whatever the step's size.
TEST(Plan, TellsTheStepsTasksPerNodeAndNotItsJobs) {
  Inputs in;
  in.profile = profile_of("SLURM_NTASKS_PER_NODE: \"{ntasks_per_node}\"");
  in.environment = {{"SLURM_NTASKS_PER_NODE", "8"}};
  const auto told = variable(in.plan().tasks[0], "SLURM_NTASKS_PER_NODE");
  EXPECT_EQ(told.value, "2");
  EXPECT_FALSE(told.kept);
  EXPECT_TRUE(in.plan().warnings.empty());
}

TEST(Plan, NeverAdvisesOtherRanksWhereTheFrameworkReadsSlurms) {
  Inputs in;
  in.layout = {{"a", "b"}, {0, 1, 0, 1}, ""};
  in.node = 0;
  EXPECT_EQ(in.plan().warnings.size(), 1U);
  in.profile.requirements = {profile::Requirement::slurm_ranks};
  EXPECT_TRUE(in.plan().warnings.empty());
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
  EXPECT_EQ(sent(message, 0, "RANK"), "2");
  EXPECT_EQ(sent(message, 1, "RANK"), "3");
  EXPECT_EQ(sent(message, 0, "WORLD_SIZE"), "4");
  EXPECT_EQ(sent(message, 1, "WORLD_SIZE"), "4");
  EXPECT_EQ(message.tasks[0].cpu_mask, std::vector<std::uint64_t>{0x0F});
  EXPECT_EQ(message.tasks[1].cpu_mask, std::vector<std::uint64_t>{0xF0});
  in.resources = {resources::TaskResources{}, resources::TaskResources{}};
  EXPECT_TRUE(to_wire(in.plan()).tasks[0].cpu_mask.empty());
}

TEST(PlanOnTheWire, ListsInMusterSetWhatIsMustersAndNotTheUsers) {
  Inputs in;
  in.environment = {{"OMP_NUM_THREADS", "1"}, {"RANK", "7"}};
  const auto plan = in.plan();
  const auto message = to_wire(plan);
  const auto names = words(sent(message, 0, wire::set_variable));
  EXPECT_EQ(sent(message, 0, "OMP_NUM_THREADS"), "(not set)");  // it is already there
  EXPECT_FALSE(names.contains("OMP_NUM_THREADS"));
  EXPECT_TRUE(names.contains("RANK"));
  EXPECT_TRUE(names.contains("MASTER_PORT"));
  EXPECT_EQ(names.size(), plan.tasks[0].variables.size() - 1);
}

TEST(PlanOnTheWire, SendsWhatAllTasksShareOnce) {
  Inputs in;
  const auto message = to_wire(in.plan());
  const auto own = message.tasks[0].set;
  EXPECT_EQ(std::ranges::count(message.set, "WORLD_SIZE", &wire::Assignment::name), 1);
  EXPECT_EQ(std::ranges::count(own, "WORLD_SIZE", &wire::Assignment::name), 0);
  EXPECT_EQ(std::ranges::count(own, "RANK", &wire::Assignment::name), 1);
  EXPECT_EQ(std::ranges::count(message.set, "RANK", &wire::Assignment::name), 0);
}

TEST(PlanOnTheWire, PassesWarningsOn) {
  Inputs in;
  in.node = 0;
  in.layout.node_of_task = {0, 1, 0, 1};
  EXPECT_EQ(to_wire(in.plan()).warnings, in.plan().warnings);
}

}  // namespace
}  // namespace muster::plan
