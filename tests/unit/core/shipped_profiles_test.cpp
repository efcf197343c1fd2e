// The profiles in config/profiles, as a user gets them.
#include "core/profile.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster {
namespace {

const std::vector<std::string> shipped{MUSTER_SOURCE_DIR "/config/profiles"};

// Every placeholder stands for its own name.
PlaceholderValues names_as_values() {
  PlaceholderValues values;
  for (const PlaceholderInfo& known : placeholders()) {
    values[known.placeholder] = {"<" + std::string(known.name) + ">", Origin::slurm};
  }
  return values;
}

std::map<std::string, std::string> environment_of(const std::string& profile) {
  const Profile loaded = load_profile(profile, shipped, trust_any_owner());
  std::map<std::string, std::string> environment;
  for (const EnvVar& variable : expand(loaded, names_as_values(), {}).variables) {
    environment[variable.name] = variable.value;
  }
  return environment;
}

TEST(ShippedProfiles, AllLoadAndSayWhatTheyAreFor) {
  const std::vector<std::string> names = profile_names(shipped);
  EXPECT_GE(names.size(), 2U);
  for (const std::string& name : names) {
    EXPECT_FALSE(load_profile(name, shipped, trust_any_owner()).summary.empty()) << name;
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
      {"TORCHELASTIC_RUN_ID", "<run_id>"},
      {"TORCHELASTIC_RESTART_COUNT", "<restart_count>"},
      {"TORCHELASTIC_MAX_RESTARTS", "<max_restarts>"},
      {"TORCHELASTIC_ERROR_FILE", "<error_file>"},
      {"TORCHELASTIC_USE_AGENT_STORE", "False"},
      {"OMP_NUM_THREADS", "<threads>"},
      {"GLOO_SOCKET_IFNAME", "<gloo_ifname>"},
      {"NCCL_SOCKET_IFNAME", "<socket_ifname>"},
      {"NCCL_IB_HCA", "<ib_hca>"},
      {"PYTHONUNBUFFERED", "1"},
  };
  EXPECT_EQ(environment_of("torch"), expected);
}

TEST(TorchProfile, LeavesOutDevicesThatANodeDoesNotHave) {
  const Profile torch = load_profile("torch", shipped, trust_any_owner());
  PlaceholderValues values = names_as_values();
  values.erase(Placeholder::ib_hca);
  for (const EnvVar& variable : expand(torch, values, {}).variables) {
    EXPECT_NE(variable.name, "NCCL_IB_HCA");
  }
}

TEST(TorchProfile, NeverLetsOneExportedRankStandForAll) {
  const Profile torch = load_profile("torch", shipped, trust_any_owner());
  const std::set<std::string> identity{"RANK",
                                       "WORLD_SIZE",
                                       "LOCAL_RANK",
                                       "LOCAL_WORLD_SIZE",
                                       "NODE_RANK",
                                       "GROUP_RANK",
                                       "GROUP_WORLD_SIZE",
                                       "ROLE_RANK",
                                       "ROLE_WORLD_SIZE",
                                       "TORCHELASTIC_RESTART_COUNT"};
  for (const ProfileVariable& variable : torch.environment) {
    EXPECT_EQ(variable.value.identity(), identity.count(variable.name) > 0) << variable.name;
  }
}

TEST(NoneProfile, SetsNothing) {
  EXPECT_TRUE(environment_of("none").empty());
}

}  // namespace
}  // namespace muster
