#include "launcher/tools/preflight/nccl_environment.hpp"

#include "launcher/channel/step/step_request.hpp"

#include <string>

#include <gtest/gtest.h>

namespace muster::preflight {
namespace {

using namespace std::string_literals;

TEST(NcclEnvironment, HasNothingOfTheStepAndNothingThatMakesNcclWrite) {
  const auto environment = nccl_environment({{"SLURM_PROCID", "3"},
                                             {"PMIX_RANK", "3"},
                                             {"MUSTER_EXCHANGE_KEY", "x"},
                                             {"MUSTER_NCCL_LIBRARY", "/opt/libnccl.so.2"},
                                             {"NCCL_DEBUG_FILE", "/home/x"},
                                             {"NCCL_DEBUG", "INFO"},
                                             {"GROUP_RANK", "3"},
                                             {"JAX_PROCESS", step::missing_plugin},
                                             {"NCCL_IB_HCA", "mlx5_0"},
                                             {"CUDA_VISIBLE_DEVICES", "2"}},
                                            "n1", "ib0", "");
  EXPECT_EQ(environment, (Environment{{"MUSTER_NCCL_LIBRARY", "/opt/libnccl.so.2"},
                                      {"NCCL_IB_HCA", "mlx5_0"},
                                      {"CUDA_VISIBLE_DEVICES", "2"},
                                      {"SLURMD_NODENAME", "n1"},
                                      {"NCCL_MNNVL_ENABLE", "0"},
                                      {"NCCL_SOCKET_IFNAME", "=ib0"}}));
}

TEST(NcclEnvironment, HasWhatTheSiteSetsBehindTheUserAndNcclsOwnFiles) {
  const auto site =
      "NCCL_NET\0NCCL_NET=Socket\0NCCL_CROSS_NIC=1\0FI_PROVIDER=cxi\0NCCL_DEBUG=INFO\0"s;
  const auto environment = nccl_environment({{"NCCL_CROSS_NIC", "2"}}, "n1", "ib0", site);
  EXPECT_EQ(environment.get("NCCL_CROSS_NIC"), "2");
  EXPECT_EQ(environment.get("FI_PROVIDER"), "cxi");
  EXPECT_FALSE(environment.contains("NCCL_NET"));
  EXPECT_FALSE(environment.contains("NCCL_DEBUG"));
}

TEST(NcclEnvironment, LeavesTheInterfaceToWhoeverHasNamedOne) {
  const auto interface = [](const Environment& user, const std::string& site) {
    const auto environment = nccl_environment(user, "n1", "ib0", site);
    return environment.get("NCCL_SOCKET_IFNAME");
  };
  EXPECT_EQ(interface({}, ""), "=ib0");
  EXPECT_EQ(interface({{"NCCL_SOCKET_IFNAME", "eth"}}, ""), "eth");
  EXPECT_EQ(interface({}, "NCCL_SOCKET_IFNAME=hsn\0"s), "hsn");
  EXPECT_EQ(interface({}, "NCCL_SOCKET_IFNAME\0"s), "");
}

}  // namespace
}  // namespace muster::preflight
