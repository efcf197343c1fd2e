// The profiles in config/profiles, as users get them.
#include "core/file/trusted_file.hpp"
#include "core/profile/profile.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::profile {
namespace {

const std::vector<std::string> shipped{MUSTER_SOURCE_DIR "/config/profiles"};

// Every placeholder's value is its own name.
PlaceholderValues names_as_values() {
  PlaceholderValues values;
  for (const PlaceholderInfo& known : placeholders()) {
    values[known.placeholder] = {"<" + std::string(known.name) + ">", Origin::slurm};
  }
  return values;
}

std::map<std::string, std::string> environment_of(const std::string& profile) {
  const Profile loaded = load_profile(profile, shipped, file::trust_any_owner());
  std::map<std::string, std::string> environment;
  for (const EnvVar& variable : expand(loaded, names_as_values(), {}).variables) {
    environment[variable.name] = variable.value;
  }
  return environment;
}

bool requires_of_layout(const std::string& profile, Requirement requirement) {
  const auto loaded = load_profile(profile, shipped, file::trust_any_owner());
  return std::ranges::find(loaded.requirements, requirement) != loaded.requirements.end();
}

TEST(ShippedProfiles, AreThoseOfTheGuide) {
  const std::vector<std::string> names = profile_names(shipped);
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()),
            (std::set<std::string>{"accelerate", "deepspeed", "horovod", "jax", "lightning",
                                   "megatron", "mpi", "none", "ray", "tensorflow", "torch",
                                   "torchft", "torchrun", "vllm"}));
}

TEST(ShippedProfiles, AllLoadAndSayWhatTheyAreFor) {
  for (const std::string& name : profile_names(shipped)) {
    EXPECT_FALSE(load_profile(name, shipped, file::trust_any_owner()).summary.empty()) << name;
  }
}

TEST(ShippedProfiles, TellTheRanksWhereToMeetUnlessMpiOrTheProgramDoes) {
  std::set<std::string> without;
  for (const std::string& name : profile_names(shipped)) {
    if (!gives_meeting_place(load_profile(name, shipped, file::trust_any_owner())))
      without.insert(name);
  }
  EXPECT_EQ(without, (std::set<std::string>{"horovod", "mpi", "none"}));
}

TEST(ShippedProfiles, NeverPromiseAStoreThatNobodyServes) {
  for (const std::string& name : profile_names(shipped)) {
    const auto environment = environment_of(name);
    const auto found = environment.find("TORCHELASTIC_USE_AGENT_STORE");
    if (found != environment.end()) {
      EXPECT_EQ(found->second, "<agent_store>") << name;
    }
  }
}

// Gloo needs one concrete name, while NCCL accepts a list.
TEST(ShippedProfiles, GiveGlooItsOwnInterfaceName) {
  for (const std::string& name : profile_names(shipped)) {
    const auto environment = environment_of(name);
    const auto found = environment.find("GLOO_SOCKET_IFNAME");
    if (found != environment.end()) {
      EXPECT_EQ(found->second, "<gloo_ifname>") << name;
    }
  }
}

// Everything that a bound main thread starts stays on its one core: data loaders, NCCL's threads.
TEST(ShippedProfiles, BindNoThreadOfAPythonFramework) {
  for (const std::string& name : profile_names(shipped)) {
    if (name == "mpi" || name == "none") continue;
    EXPECT_EQ(environment_of(name).at("OMP_PROC_BIND"), "false") << name;
  }
}

TEST(ShippedProfiles, RefuseOtherRanksWhereTheFrameworkReadsSlurms) {
  for (const std::string name : {"lightning", "jax", "horovod", "mpi"}) {
    EXPECT_TRUE(requires_of_layout(name, Requirement::slurm_ranks)) << name;
  }
  for (const std::string name :
       {"torch", "accelerate", "deepspeed", "megatron", "tensorflow", "none"}) {
    EXPECT_FALSE(requires_of_layout(name, Requirement::slurm_ranks)) << name;
  }
}

TEST(TorchProfile, SetsExactlyWhatTorchrunsWorkersFind) {
  const std::map<std::string, std::string> expected{
      {"RANK", "<rank>"},
      {"WORLD_SIZE", "<world_size>"},
      {"LOCAL_RANK", "<local_rank>"},
      {"LOCAL_WORLD_SIZE", "<local_world_size>"},
      {"NODE_RANK", "<node_rank>"},
      {"GROUP_RANK", "<node_rank>"},
      {"GROUP_WORLD_SIZE", "<nodes>"},
      {"ROLE_NAME", "default"},
      {"ROLE_RANK", "<rank>"},
      {"ROLE_WORLD_SIZE", "<world_size>"},
      {"MASTER_ADDR", "<master_addr>"},
      {"MASTER_PORT", "<master_port>"},
      {"REPLICA_GROUP_ID", "<group>"},
      {"NUM_REPLICA_GROUPS", "<groups>"},
      {"TORCHELASTIC_RUN_ID", "<run_id>"},
      {"TORCHELASTIC_RESTART_COUNT", "<restart_count>"},
      {"TORCHELASTIC_MAX_RESTARTS", "<max_restarts>"},
      {"TORCHELASTIC_ERROR_FILE", "<error_file>"},
      {"TORCH_FR_DUMP_TEMP_FILE", "<log_directory>/comm_lib_trace_rank_"},
      {"TORCH_NCCL_DEBUG_INFO_TEMP_FILE", "<log_directory>/comm_lib_trace_rank_"},
      {"TORCHELASTIC_USE_AGENT_STORE", "<agent_store>"},
      {"OMP_NUM_THREADS", "<threads>"},
      {"OMP_PLACES", "<places>"},
      {"OMP_PROC_BIND", "false"},
      {"GLOO_SOCKET_IFNAME", "<gloo_ifname>"},
      {"NCCL_SOCKET_IFNAME", "<socket_ifname>"},
      {"NCCL_IB_HCA", "<ib_hca>"},
      {"NCCL_RAS_ADDR", "<ras_addr>"},
      {"VLLM_HOST_IP", "<local_addr>"},
      {"UCX_NET_DEVICES", "<ucx_devices>"},
      {"FI_CXI_DEVICE_NAME", "<cxi_devices>"},
      {"PYTHONUNBUFFERED", "1"},
      // Lets exceptions out of @hydra.main.
      {"HYDRA_FULL_ERROR", "1"},
      // Gone before the program's first line.
      {"PYTHONPATH", "<python_path>"},
  };
  EXPECT_EQ(environment_of("torch"), expected);
}

TEST(TorchProfile, LeavesOutDevicesThatANodeDoesNotHave) {
  const Profile torch = load_profile("torch", shipped, file::trust_any_owner());
  PlaceholderValues values = names_as_values();
  values.erase(Placeholder::ib_hca);
  for (const EnvVar& variable : expand(torch, values, {}).variables) {
    EXPECT_NE(variable.name, "NCCL_IB_HCA");
  }
}

TEST(TorchProfile, NeverLetsOneExportedRankStandForAll) {
  const Profile torch = load_profile("torch", shipped, file::trust_any_owner());
  const std::set<std::string> identity{"RANK",
                                       "WORLD_SIZE",
                                       "LOCAL_RANK",
                                       "LOCAL_WORLD_SIZE",
                                       "NODE_RANK",
                                       "GROUP_RANK",
                                       "GROUP_WORLD_SIZE",
                                       "ROLE_RANK",
                                       "ROLE_WORLD_SIZE",
                                       "REPLICA_GROUP_ID",
                                       "NUM_REPLICA_GROUPS",
                                       "TORCHELASTIC_RESTART_COUNT",
                                       "VLLM_HOST_IP"};
  for (const ProfileVariable& variable : torch.environment) {
    EXPECT_EQ(variable.value.identity(), identity.count(variable.name) > 0) << variable.name;
  }
}

// The start hook sees no exception that @hydra.main has caught.
TEST(ShippedProfiles, LetExceptionsOutOfHydraWhereTheHookRecordsThem) {
  for (const std::string& name : profile_names(shipped)) {
    const auto environment = environment_of(name);
    if (name == "vllm") continue;  // its tasks run muster.vllm
    EXPECT_EQ(environment.contains("HYDRA_FULL_ERROR"), environment.contains("PYTHONPATH")) << name;
  }
}

TEST(LightningProfile, LeavesSlurmToBeFound) {
  auto expected = environment_of("torch");
  expected.erase("TORCHELASTIC_RUN_ID");  // makes Lightning believe in torchrun
  expected["SLURM_NTASKS_PER_NODE"] = "<ntasks_per_node>";
  EXPECT_EQ(environment_of("lightning"), expected);
  EXPECT_TRUE(requires_of_layout("lightning", Requirement::equal_tasks_per_node));
}

TEST(AccelerateProfile, IsTorchs) {
  EXPECT_EQ(environment_of("accelerate"), environment_of("torch"));
}

TEST(DeepspeedProfile, AddsWhatItsLauncherSets) {
  auto expected = environment_of("torch");
  expected["LOCAL_SIZE"] = "<local_world_size>";
  expected["CROSS_RANK"] = "<node_rank>";
  expected["CROSS_SIZE"] = "<nodes>";
  EXPECT_EQ(environment_of("deepspeed"), expected);
}

// Without it, Megatron's argument check ends the program if tensor parallelism needs it.
TEST(MegatronProfile, AddsTheOrderOfKernelsThatMegatronLmDemands) {
  auto expected = environment_of("torch");
  expected["CUDA_DEVICE_MAX_CONNECTIONS"] = "1";
  EXPECT_EQ(environment_of("megatron"), expected);
}

TEST(VllmProfile, AddsWhereTheHeadIsToRays) {
  auto expected = environment_of("ray");
  expected["MUSTER_ENDPOINTS"] = "[<endpoints>]";
  expected["PYTHONPATH"] = "<python_path>";
  EXPECT_EQ(environment_of("vllm"), expected);
  EXPECT_TRUE(requires_of_layout("vllm", Requirement::one_task_per_node));
}

TEST(TorchrunProfile, SetsItsFlagsAndNoRanks) {
  const auto environment = environment_of("torchrun");
  EXPECT_TRUE(requires_of_layout("torchrun", Requirement::one_task_per_node));
  EXPECT_EQ(environment.at("PET_RDZV_BACKEND"), "static");
  EXPECT_EQ(environment.at("PET_NPROC_PER_NODE"), "<workers>");
  EXPECT_EQ(environment.at("OMP_NUM_THREADS"), "<worker_threads>");
  for (const std::string rank : {"RANK", "LOCAL_RANK", "WORLD_SIZE", "MASTER_PORT"}) {
    EXPECT_EQ(environment.count(rank), 0U) << rank;
  }
}

TEST(JaxProfile, NamesDevicesInsteadOfHidingThem) {
  const auto environment = environment_of("jax");
  EXPECT_EQ(environment.at("JAX_COORDINATOR_ADDRESS"), "<rendezvous>");
  EXPECT_EQ(environment.at("JAX_LOCAL_DEVICE_IDS"), "<gpu_indexes>");
  EXPECT_EQ(environment.count("CUDA_VISIBLE_DEVICES"), 0U);
}

TEST(JaxProfile, KeepsTheCoordinatorOffTheProxy) {
  EXPECT_EQ(environment_of("jax").at("no_grpc_proxy"), "<no_proxy>");
}

TEST(TensorflowProfile, TellsTheClusterAsJson) {
  const auto environment = environment_of("tensorflow");
  EXPECT_EQ(
      environment.at("TF_CONFIG"),
      R"({"cluster": {"worker": [<endpoints>]}, "task": {"type": "worker", "index": <rank>}})");
  EXPECT_EQ(environment.at("grpc_proxy"), "");
}

TEST(HorovodProfile, IsForTheMpiController) {
  const auto environment = environment_of("horovod");
  EXPECT_EQ(environment.at("HOROVOD_CONTROLLER"), "mpi");
  EXPECT_EQ(environment.at("HOROVOD_CROSS_RANK"), "<cross_rank>");
}

TEST(MpiProfile, LeavesTheRanksToPmix) {
  EXPECT_EQ(environment_of("mpi"),
            (std::map<std::string, std::string>{{"OMP_NUM_THREADS", "<threads>"},
                                                {"OMP_PLACES", "<places>"},
                                                {"OMP_PROC_BIND", "<proc_bind>"},
                                                {"UCX_NET_DEVICES", "<ucx_devices>"},
                                                {"FI_CXI_DEVICE_NAME", "<cxi_devices>"}}));
}

TEST(NoneProfile, SetsNothing) {
  EXPECT_TRUE(environment_of("none").empty());
}

}  // namespace
}  // namespace muster::profile
