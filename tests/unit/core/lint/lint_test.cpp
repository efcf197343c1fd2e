// Each row of the table warns when it should, and only then.
#include "core/lint/lint.hpp"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

namespace muster::lint {
namespace {

using fabric::Fabric;

struct Case {
  std::string_view id;
  Circumstances said;      // this row, and no other
  Circumstances not_said;  // no row at all
};

Circumstances with(std::string name, std::string value) {
  return {.variables = {{std::move(name), std::move(value), "environment"}}};
}

Circumstances of_nccl(int release, std::string name, std::string value) {
  auto all = with(std::move(name), std::move(value));
  all.nccl = release;
  return all;
}

Circumstances on(Fabric fabric, std::string name, std::string value) {
  auto all = with(std::move(name), std::move(value));
  all.fabric = fabric;
  return all;
}

Circumstances on(Fabric fabric, int release, std::string name, std::string value) {
  auto all = on(fabric, std::move(name), std::move(value));
  all.nccl = release;
  return all;
}

Circumstances and_with(Circumstances all, std::string name, std::string value) {
  all.variables.push_back({std::move(name), std::move(value), "environment"});
  return all;
}

Circumstances on_one_node(Circumstances all) {
  all.nodes = 1;
  return and_with(std::move(all), "FI_MR_CACHE_MONITOR", "userfaultfd");
}

const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {"nccl-gid-index", of_nccl(22100, "NCCL_IB_GID_INDEX", "3"),
       of_nccl(22005, "NCCL_IB_GID_INDEX", "3")},
      {"nccl-relaxed-ordering", with("NCCL_IB_PCI_RELAXED_ORDERING", "1"),
       on(Fabric::azure, "NCCL_IB_PCI_RELAXED_ORDERING", "1")},
      {"nccl-adaptive-routing", on(Fabric::infiniband, 22703, "NCCL_IB_ADAPTIVE_ROUTING", "1"),
       on(Fabric::roce, 22703, "NCCL_IB_ADAPTIVE_ROUTING", "1")},
      {"nccl-timeout", of_nccl(22300, "NCCL_IB_TIMEOUT", "22"),
       of_nccl(22100, "NCCL_IB_TIMEOUT", "22")},
      {"nccl-gdr-read", with("NCCL_NET_GDR_READ", "1"), with("NCCL_NET_GDR_READ", "0")},
      {"nccl-gdr-c2c", of_nccl(22700, "NCCL_NET_GDR_C2C", "1"),
       of_nccl(22605, "NCCL_NET_GDR_C2C", "1")},
      {"nccl-cumem", of_nccl(22000, "NCCL_CUMEM_ENABLE", "1"),
       of_nccl(22000, "NCCL_CUMEM_ENABLE", "0")},
      {"nccl-cumem-host", of_nccl(22605, "NCCL_CUMEM_HOST_ENABLE", "0"),
       of_nccl(22403, "NCCL_CUMEM_HOST_ENABLE", "0")},
      {"nccl-dmabuf", with("NCCL_DMABUF_ENABLE", "1"), with("NCCL_DMABUF_ENABLE", "0")},
      {"nccl-ece", of_nccl(22300, "NCCL_IB_ECE_ENABLE", "1"), with("NCCL_IB_ECE_ENABLE", "1")},
      {"nccl-channels", of_nccl(21700, "NCCL_MIN_NCHANNELS", "32"),
       with("NCCL_MIN_NCHANNELS", "32")},
      {"nccl-cross-nic", with("NCCL_CROSS_NIC", "2"), with("NCCL_CROSS_NIC", "1")},
      {"nccl-collnet", with("NCCL_COLLNET_ENABLE", "0"), with("NCCL_COLLNET_ENABLE", "1")},
      {"torch-async-errors", with("NCCL_ASYNC_ERROR_HANDLING", "1"),
       with("TORCH_NCCL_ASYNC_ERROR_HANDLING", "1")},
      {"efa-device-rdma", with("FI_EFA_USE_DEVICE_RDMA", "1"), with("FI_EFA_USE_DEVICE_RDMA", "0")},
      {"efa-fork-safe", and_with(on(Fabric::efa, "RDMAV_FORK_SAFE", "1"), "NCCL_NET", "ofi"),
       on(Fabric::infiniband, "RDMAV_FORK_SAFE", "1")},
      {"nccl-retry-count", with("NCCL_IB_RETRY_CNT", "15"), with("NCCL_IB_RETRY_CNT", "7")},
      {"nccl-partition-key", with("NCCL_IB_PKEY", "0x8001"), with("NCCL_IB_PKEY", "1")},
      {"nccl-switched-off", with("NCCL_SHM_DISABLE", "1"), with("NCCL_SHM_DISABLE", "0")},
      {"nccl-choice", with("NCCL_ALGO", "Ring"), on(Fabric::gcp_tcpx, "NCCL_ALGO", "Ring")},
      {"nccl-same-device", with("NCCL_IB_HCA", "=mlx5_0,mlx5_1,mlx5_0"),
       with("NCCL_IB_HCA", "=mlx5_0,mlx5_1")},
      {"nccl-unused-devices", and_with(with("NCCL_IB_HCA", "mlx5_0"), "NCCL_NET", "Socket"),
       and_with(with("NCCL_IB_HCA", "mlx5_0"), "NCCL_NET", "IB")},
      {"nccl-socket-exclusion", with("NCCL_SOCKET_IFNAME", "^eth1"),
       with("NCCL_SOCKET_IFNAME", "^lo,docker,eth1")},
      {"unread-queue-length", with("IB_RX_QUEUE_LEN", "8192"),
       with("NCCL_IB_RX_QUEUE_LEN", "8192")},
      {"slingshot-rendezvous", with("FI_CXI_RDZV_PROTO", "alt_read"),
       and_with(with("FI_CXI_RDZV_PROTO", "alt_read"), "SLURM_NETWORK", "disable_rdzv_get")},
      {"slingshot-disabled-get", with("SLURM_NETWORK", "disable_rdzv_get"),
       and_with(with("SLURM_NETWORK", "disable_rdzv_get"), "FI_CXI_RX_MATCH_MODE", "software")},
      {"slingshot-monitor", on(Fabric::slingshot, "FI_MR_CACHE_MONITOR", "memhooks"),
       on(Fabric::slingshot, "FI_MR_CACHE_MONITOR", "kdreg2")},
      {"slingshot-single-node", on_one_node(on(Fabric::slingshot, "NCCL_NET", "AWS Libfabric")),
       and_with(on_one_node(on(Fabric::slingshot, "NCCL_NET", "AWS Libfabric")), "SLURM_NETWORK",
                "single_node_vni")},
      {"slingshot-ucx",
       and_with(on(Fabric::slingshot, "UCX_TLS", "rc,self,sm"), "FI_MR_CACHE_MONITOR", "kdreg2"),
       and_with(on(Fabric::slingshot, "UCX_TLS", "tcp,self,sm"), "FI_MR_CACHE_MONITOR", "kdreg2")},
      {"efa-net", on(Fabric::efa, "FI_PROVIDER", "efa"), on(Fabric::efa, "NCCL_NET", "ofi")},
  };
  return all;
}

std::string ids(const Circumstances& all) {
  std::string text;
  for (const auto& finding : lint(all)) text += std::string(finding.row->id) + ' ';
  return text;
}

TEST(Lint, SaysOfEachCaseItsRowAndNoOther) {
  for (const auto& one : cases()) {
    EXPECT_EQ(ids(one.said), std::string(one.id) + ' ');
    EXPECT_EQ(ids(one.not_said), "") << one.id;
  }
}

TEST(Lint, HasRowsThatAreEachTested) {
  std::set<std::string_view> tested;
  for (const auto& one : cases()) tested.insert(one.id);
  std::set<std::string_view> all;
  for (const auto& row : rows()) EXPECT_TRUE(all.insert(row.id).second) << row.id;
  EXPECT_EQ(all, tested);
}

TEST(Lint, HasRowsThatSayWhyAndWhatToDoAndFromWhere) {
  for (const auto& row : rows()) {
    EXPECT_FALSE(row.why.empty() || row.fix.empty() || row.source.empty()) << row.id;
    EXPECT_FALSE(row.names.empty()) << row.id;
    for (const auto name : row.names) EXPECT_TRUE(is_looked_at(name));
  }
  EXPECT_FALSE(is_looked_at("HOME"));
}

TEST(Lint, SaysNothingWhereNothingIsKnown) {
  EXPECT_EQ(ids({}), "");
}

TEST(Lint, SaysOfAMissingVariableThatItIsNotSet) {
  const auto found = lint(Circumstances{.variables = {}, .fabric = Fabric::slingshot});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(what(found[0].variable), "FI_MR_CACHE_MONITOR is not set");
}

TEST(LintLine, SaysWhatWhereWhyAndWhatToDo) {
  const Circumstances all{.variables = {{"NCCL_IB_RETRY_CNT", "15", "/etc/nccl.conf:3"}}};
  EXPECT_EQ(to_line(lint(all).front()),
            "NCCL_IB_RETRY_CNT=15 (/etc/nccl.conf:3): the field has three bits: 0 to 7; "
            "NCCL_IB_RETRY_CNT=7, or unset it");
}

TEST(LintRemark, IsOneLineWhateverThereIs) {
  EXPECT_EQ(remark({}), "");
  auto all = with("NCCL_IB_RETRY_CNT", "15");
  const auto alone = remark(lint(all));
  EXPECT_EQ(alone, to_line(lint(all).front()));
  all = and_with(std::move(all), "NCCL_SHM_DISABLE", "1\n");
  all = and_with(std::move(all), "NCCL_P2P_DISABLE", "1");
  EXPECT_EQ(remark(lint(all)), alone + " (1 more: muster doctor)");
}

}  // namespace
}  // namespace muster::lint
