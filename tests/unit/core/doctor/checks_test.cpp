// Each check is made to fail in turn: exactly its row is reported.
#include "core/doctor/check.hpp"
#include "core/doctor/diagnosis.hpp"
#include "unit/core/doctor/healthy_host.hpp"

#include <set>

#include <gtest/gtest.h>

namespace muster::doctor {
namespace {

struct Break {
  std::string check;
  Outcome outcome;
  std::string evidence;  // a part of it
  Facts::Map facts;
};

const std::vector<Break>& breaks() {
  static const std::vector<Break> all{
      {"controller", Outcome::error, "no answer", {{"controller", "no answer"}}},
      {"hidden-nodes",
       Outcome::warning,
       "PrivateData=jobs,nodes",
       {{"slurm.PrivateData", "jobs,nodes"}}},
      {"plugin", Outcome::warning, "plugstack.conf does not load muster.so", {{"plugin.line", ""}}},
      {"plugin",
       Outcome::error,
       "muster.so is for Slurm 24.11, but this host has 23.02",
       {{"plugin.release", "24.11.5"}}},
      {"plugin",
       Outcome::error,
       "muster.so is for x86_64, but this host is aarch64",
       {{"plugin.machine", "x86_64"}, {"machine", "aarch64"}}},
      {"pmix-plugin", Outcome::error, "MpiDefault=pmix", {{"pmix.plugin", "no"}}},
      {"pmix-library",
       Outcome::error,
       "no libpmix.so can be loaded",
       {{"pmix.library", "missing"}}},
      {"pmix-path",
       Outcome::warning,
       "/opt/mpi/lib/libpmix.so*: OpenPMIx 5.0.1; Slurm's: 4.2.2",
       {{"pmix.path_version", "OpenPMIx 5.0.1"}}},
      {"pmix-path", Outcome::warning, "cannot be loaded", {{"pmix.path_version", ""}}},
      {"srun-ports", Outcome::warning, "60001-60020", {{"slurm.SrunPortRange", "60001-60020"}}},
      {"port-ranges", Outcome::warning, "1024-65000", {{"sysctl.ports", "1024-65000"}}},
      {"inherited-step",
       Outcome::warning,
       "step 7.0",
       {{"env.SLURM_JOB_ID", "7"}, {"env.SLURM_STEP_ID", "0"}}},
      {"task-affinity", Outcome::warning, "task/none", {{"slurm.TaskPlugin", "task/none"}}},
      {"munge", Outcome::warning, "munge.socket.2: no", {{"munge.socket", "no"}}},
      {"munge",
       Outcome::warning,
       "PMIX_SECURITY_MODE=munge,native, /run",
       {{"munge.socket", "no"}, {"env.PMIX_SECURITY_MODE", "munge,native"}}},
      {"slurm-commands",
       Outcome::warning,
       "/opt belongs to user 1005",
       {{"slurm.commands", "/opt/bin/squeue is not used, because /opt belongs to user 1005"}}},
      {"memlock", Outcome::error, "65536 bytes", {{"limit.memlock", "65536"}}},
      {"stack", Outcome::warning, "unlimited, NCCL 22703", {{"limit.stack", "unlimited"}}},
      {"open-files", Outcome::warning, "1024", {{"limit.nofile", "1024"}}},
      {"processes", Outcome::warning, "4096", {{"limit.nproc", "4096"}}},
      {"processes", Outcome::warning, "pids.max 512", {{"pids.max", "512"}}},
      {"shared-memory", Outcome::warning, "64 MiB", {{"shm.free", "67108864"}}},
      {"tmp", Outcome::error, "/tmp has 1 MiB free", {{"tmp.free", "1048576"}}},
      {"tmp", Outcome::warning, "/tmp has 100 MiB free", {{"tmp.free", "104857600"}}},
      {"tmp", Outcome::error, "cannot be written", {{"tmp.writable", "no"}}},
      {"tmpdir-length",
       Outcome::warning,
       "61 characters",
       {{"tmp.path", "/" + std::string(60, 'a')}}},
      {"tmpdir-length",
       Outcome::error,
       "75 characters",
       {{"tmp.path", "/" + std::string(74, 'a')}}},
      {"home", Outcome::warning, "/home/alice has 1 MiB", {{"home.free", "1048576"}}},
      {"file-locks", Outcome::warning, "Lustre, rw", {{"cache.options", "rw"}}},
      {"remove-ipc", Outcome::warning, "yes", {{"logind.remove_ipc", "yes, the default"}}},
      {"tracing", Outcome::warning, "ptrace_scope=1", {{"sysctl.ptrace_scope", "1"}}},
      {"hidepid",
       Outcome::warning,
       "hidepid=invisible,gid=27, and this kernel has no pidfds",
       {{"pidfds", "no"}}},
      {"selinux", Outcome::warning, "slurm_t", {{"selinux.context", "system_u:slurm_t"}}},
      {"locale", Outcome::warning, "LANG=xx", {{"locale", "missing"}, {"env.LANG", "xx"}}},
      {"user-namespaces", Outcome::warning, "namespaces=0", {{"sysctl.user_namespaces", "0"}}},
      {"user-namespaces", Outcome::warning, "userns=1", {{"sysctl.apparmor_userns", "1"}}},
      {"governor",
       Outcome::warning,
       "governor=powersave, driver acpi-cpufreq",
       {{"cpu.driver", "acpi-cpufreq"}}},
      {"governor", Outcome::warning, "preference=power", {{"cpu.preference", "power"}}},
      {"zone-reclaim", Outcome::warning, "=1", {{"sysctl.zone_reclaim", "1"}}},
      {"name-service", Outcome::warning, "3000 ms", {{"name.ms", "3000"}}},
      {"own-name",
       Outcome::warning,
       "own name resolves to 127.0.1.1",
       {{"name.addresses", "127.0.1.1"}}},
      {"own-name", Outcome::warning, "cannot be resolved", {{"name.addresses", ""}}},
      {"firewall", Outcome::error, "to node2 (", {{"peers.blocked", "node2 (10.0.0.2) port 5: x"}}},
      {"peer-names", Outcome::warning, "node2 cannot", {{"peers.unknown", "node2"}}},
      {"socket-interface", Outcome::error, "no interface", {{"env.NCCL_SOCKET_IFNAME", "ib"}}},
      {"socket-interface", Outcome::warning, "eth0, eth1", {{"env.NCCL_SOCKET_IFNAME", "eth"}}},
      {"proxy",
       Outcome::warning,
       "http_proxy set; no_proxy lacks this host",
       {{"proxy.skips_own_name", "no"}}},
      {"arp", Outcome::warning, "eth0, eth1 share", {{"net.shared_subnet", "eth0, eth1"}}},
      {"rdma-ports",
       Outcome::error,
       "0 active",
       {{"ib.active", "0"}, {"ib.not_active", "mlx5_1:1 1: DOWN"}, {"gpu.peer_memory", "yes"}}},
      {"rdma-ports", Outcome::warning, "mlx5_1:1 1: DOWN", {{"ib.not_active", "mlx5_1:1 1: DOWN"}}},
      {"rdma-errors", Outcome::warning, "link_downed 9", {{"ib.link_downed", "9"}}},
      {"rdma-errors", Outcome::warning, "recovery 1", {{"ib.link_error_recovery", "1"}}},
      {"rdma-partition", Outcome::warning, "mlx5_0:1", {{"ib.limited", "mlx5_0:1"}}},
      {"rdma-files", Outcome::error, "0 device files /dev/infiniband", {{"ib.uverbs", "0"}}},
      {"efa-plugin", Outcome::error, "libnccl-net*.so", {{"nccl.net_plugin", "no"}}},
      {"efa-pages", Outcome::warning, "0 of 128", {{"memory.huge_pages_free", "0"}}},
      {"slingshot-rendezvous", Outcome::warning, "alt_read", {{"env.SLURM_NETWORK", ""}}},
      {"slingshot-monitor",
       Outcome::warning,
       "memhooks",
       {{"fabric", "slingshot"}, {"env.FI_MR_CACHE_MONITOR", "memhooks"}}},
      {"slingshot-disabled-get",
       Outcome::warning,
       "SLURM_NETWORK=disable_rdzv_get",
       {{"env.FI_CXI_RDZV_PROTO", "default"}}},
      {"slingshot-ucx",
       Outcome::warning,
       "UCX_TLS=rc (/home/alice/ucx.conf:2)",
       {{"fabric", "slingshot"},
        {"conf.UCX_TLS", "rc"},
        {"conf.where.UCX_TLS", "/home/alice/ucx.conf:2"}}},
      {"efa-net", Outcome::warning, "NCCL_NET is not set", {{"fabric", "efa"}}},
      {"efa-fork-safe",
       Outcome::warning,
       "RDMAV_FORK_SAFE=1",
       {{"fabric", "efa"}, {"env.NCCL_NET", "ofi"}, {"env.RDMAV_FORK_SAFE", "1"}}},
      {"efa-device-rdma", Outcome::warning, "=1", {{"env.FI_EFA_USE_DEVICE_RDMA", "1"}}},
      {"nccl-adaptive-routing",
       Outcome::warning,
       "=1",
       {{"fabric", "infiniband"}, {"env.NCCL_IB_ADAPTIVE_ROUTING", "1"}}},
      {"nccl-gdr-read", Outcome::warning, "=1", {{"env.NCCL_NET_GDR_READ", "1"}}},
      {"nccl-gdr-c2c", Outcome::warning, "=1", {{"env.NCCL_NET_GDR_C2C", "1"}}},
      {"nccl-cumem", Outcome::warning, "=1", {{"env.NCCL_CUMEM_ENABLE", "1"}}},
      {"nccl-cumem-host", Outcome::warning, "=0", {{"env.NCCL_CUMEM_HOST_ENABLE", "0"}}},
      {"nccl-dmabuf",
       Outcome::warning,
       "=1 (/etc/muster/muster.yaml:3:9)",
       {{"site.NCCL_DMABUF_ENABLE", "1"},
        {"site.where.NCCL_DMABUF_ENABLE", "/etc/muster/muster.yaml:3:9"}}},
      {"nccl-ece", Outcome::warning, "=1", {{"env.NCCL_IB_ECE_ENABLE", "1"}}},
      {"nccl-channels", Outcome::warning, "=32", {{"env.NCCL_MIN_NCHANNELS", "32"}}},
      {"nccl-cross-nic", Outcome::warning, "=2", {{"env.NCCL_CROSS_NIC", "2"}}},
      {"nccl-collnet", Outcome::warning, "=0", {{"env.NCCL_COLLNET_ENABLE", "0"}}},
      {"torch-async-errors", Outcome::warning, "=1", {{"env.NCCL_ASYNC_ERROR_HANDLING", "1"}}},
      {"nccl-switched-off", Outcome::warning, "=1", {{"env.NCCL_P2P_DISABLE", "1"}}},
      {"nccl-choice", Outcome::warning, "=Ring", {{"env.NCCL_ALGO", "Ring"}}},
      {"nccl-same-device",
       Outcome::warning,
       "mlx5_1,mlx5_1",
       {{"env.NCCL_IB_HCA", "mlx5_1,mlx5_1"}}},
      {"nccl-unused-devices",
       Outcome::warning,
       "NCCL_IB_HCA=mlx5_1",
       {{"env.NCCL_IB_HCA", "mlx5_1"}, {"env.NCCL_NET", "Socket"}}},
      {"nccl-socket-exclusion", Outcome::warning, "^ib", {{"env.NCCL_SOCKET_IFNAME", "^ib,lo"}}},
      {"unread-queue-length", Outcome::warning, "=8192", {{"env.RX_QUEUE_LEN", "8192"}}},
      {"slingshot-retry", Outcome::warning, "lacks cxi0", {{"cxi.no_handler", "cxi0"}}},
      {"nccl-gid-index", Outcome::warning, "=3", {{"env.NCCL_IB_GID_INDEX", "3"}}},
      {"nccl-retry-count", Outcome::warning, "=15", {{"env.NCCL_IB_RETRY_CNT", "15"}}},
      {"nccl-timeout", Outcome::warning, "=23", {{"env.NCCL_IB_TIMEOUT", "23"}}},
      {"nccl-relaxed-ordering",
       Outcome::warning,
       "=1",
       {{"env.NCCL_IB_PCI_RELAXED_ORDERING", "1"}}},
      {"nccl-partition-key", Outcome::warning, "0x8001", {{"env.NCCL_IB_PKEY", "0x8001"}}},
      {"nccl-own-file",
       Outcome::warning,
       "/home/alice/.nccl",
       {{"nccl.own_file", "/home/alice/.nccl.conf"}}},
      {"gpu-driver", Outcome::error, "error 18", {{"nvml", "error 18"}}},
      {"gpu-driver", Outcome::error, "no answer", {{"nvml", "no answer in time"}}},
      {"gpu-libcuda", Outcome::warning, "no", {{"libcuda", "no"}}},
      {"cuda-compat",
       Outcome::warning,
       "/usr/local/cuda/compat",
       {{"cuda.compat", "/usr/local/cuda/compat"}}},
      {"gpu-fabric", Outcome::error, "GPU 0,1", {{"gpu.fabric_bad", "0,1"}}},
      {"gpu-compute-mode", Outcome::warning, "GPU 2", {{"gpu.exclusive", "2"}}},
      {"gpu-persistence", Outcome::warning, "GPU 0", {{"gpu.not_persistent", "0"}}},
      {"gpu-remap-failed", Outcome::error, "GPU 3", {{"gpu.remap_failed", "3"}}},
      {"gpu-remap-pending", Outcome::warning, "GPU 3", {{"gpu.remap_pending", "3"}}},
      {"gpu-memory", Outcome::warning, "GPU 4", {{"gpu.ecc", "4"}}},
      {"gpu-clocks", Outcome::warning, "GPU 5", {{"gpu.slowed", "5"}}},
      {"gpu-mig", Outcome::warning, "GPU 6", {{"gpu.mig", "6"}}},
      {"gpu-pcie", Outcome::warning, "8 of 16", {{"gpu.narrow", "0000:01:00.0 has 8 of 16 lanes"}}},
      {"gpu-peer-access",
       Outcome::warning,
       "the IOMMU translates DMA addresses: DMA-FQ",
       {{"gpu.count", "2"}, {"iommu.types", "DMA-FQ"}}},
      {"gpu-peer-access", Outcome::cannot_see, "ACS", {{"gpu.count", "2"}}},
      {"gpu-peer-access",
       Outcome::warning,
       "between GPUs 0-1 (not supported by these GPUs)",
       {{"gpu.count", "2"}, {"gpu.peer_refused", "0-1 (not supported by these GPUs)"}}},
      {"gpu-peer-memory", Outcome::warning, "no", {{"gpu.peer_memory", "no"}}},
      {"numa-balancing", Outcome::warning, "=1", {{"sysctl.numa_balancing", "1"}}},
  };
  return all;
}

std::vector<Row> rows_not_ok(const Facts& facts) {
  auto rows = diagnose({{{"node1", true, true, facts}}}).rows;
  std::erase_if(rows, [](const Row& row) { return row.outcome == Outcome::ok; });
  return rows;
}

TEST(DoctorChecks, HaveNothingToSayOfAHealthyHost) {
  for (const auto& row : rows_not_ok(healthy_host()))
    ADD_FAILURE() << row.about.id << ": " << row.evidence;
}

TEST(DoctorChecks, NameExactlyTheRowThatIsBroken) {
  for (const auto& each : breaks()) {
    auto facts = healthy_host();
    for (const auto& [name, value] : each.facts) facts.set(name, value);
    const auto rows = rows_not_ok(facts);
    ASSERT_EQ(rows.size(), 1U) << each.check << " and "
                               << (rows.empty() ? "nothing" : rows.back().about.id);
    EXPECT_EQ(rows[0].about.id, each.check);
    EXPECT_EQ(rows[0].outcome, each.outcome) << each.check;
    EXPECT_NE(rows[0].evidence.find(each.evidence), std::string::npos) << rows[0].evidence;
    EXPECT_EQ(rows[0].hosts, std::vector<std::string>{"node1"});
  }
}

TEST(DoctorChecks, TakeSilenceForNothing) {
  // A host about which nothing can be read has no row that is ok, except the shell's own.
  for (const auto& row : diagnose({{{"node1", true, true, Facts()}}}).rows)
    EXPECT_EQ(row.about.id, "inherited-step");
}

TEST(DoctorChecks, WantPluginsThatCanBeRead) {
  auto facts = facts_of({{"plugin.plugstack", "p"}, {"plugin.line", "required /lib/muster.so"}});
  const auto rows = rows_not_ok(facts);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].outcome, Outcome::error);
  EXPECT_EQ(rows[0].evidence, "required /lib/muster.so cannot be read");
}

TEST(DoctorChecks, KnowHowSlurmSaysThatThereIsNoPortRange) {
  EXPECT_TRUE(rows_not_ok(facts_of({{"slurm.SrunPortRange", "0-0"}})).empty());
}

TEST(DoctorChecks, KnowABatchScriptAndAShellOfSallocFromAStep) {
  for (const auto* const step : {"4294967291", "4294967290"})
    EXPECT_TRUE(rows_not_ok(facts_of({{"env.SLURM_STEP_ID", step}})).empty());
}

TEST(DoctorChecks, KnowTheReleasesThatLoseCpusPerTask) {
  const auto said = [](const char* release) {
    return rows_not_ok(facts_of({{"release", release}, {"env.SLURM_CPUS_PER_TASK", "4"}})).size();
  };
  EXPECT_EQ(said("21.08.1"), 0U);
  EXPECT_EQ(said("22.05.8"), 1U);
  EXPECT_EQ(said("23.02.7"), 1U);
  EXPECT_EQ(said("23.11.0"), 0U);
}

TEST(DoctorChecks, CannotCompareAForeignLibraryWithNone) {
  const auto rows = rows_not_ok(facts_of(
      {{"env.LD_LIBRARY_PATH", "/opt"}, {"library_path", "read"}, {"pmix.in_path", "/opt"}}));
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].outcome, Outcome::cannot_see);
}

TEST(DoctorChecks, LeaveMungeOutWhereItIsExcluded) {
  EXPECT_TRUE(rows_not_ok(facts_of({{"munge.socket", "no"},
                                    {"env.PMIX_SECURITY_MODE", "munge,native"},
                                    {"env.PMIX_MCA_psec", "^munge"}}))
                  .empty());
}

TEST(DoctorChecks, NeedNoSettingOfSwitchesWhereNvlinkJoinsAllGpus) {
  EXPECT_TRUE(rows_not_ok(facts_of({{"gpu.count", "8"},
                                    {"gpu.peer_refused", ""},
                                    {"gpu.peer_links", "NVLink"},
                                    {"iommu.types", "DMA-FQ"}}))
                  .empty());
}

TEST(DoctorChecks, NameAFileSystemThatHangs) {
  const auto rows = rows_not_ok(facts_of({{"tmp.path", "/tmp"}, {"home.path", "/home/alice"}}));
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].outcome, Outcome::error);
  EXPECT_EQ(rows[1].evidence, "/home/alice did not answer in time");
}

TEST(DoctorChecks, AreEachBrokenByATest) {
  std::set<std::string_view> broken{"cpus-per-task"};
  for (const auto& each : breaks()) broken.insert(each.check);
  std::set<std::string_view> all;
  for (const auto& check : all_checks()) {
    EXPECT_TRUE(all.insert(check.about.id).second) << check.about.id << " is there twice";
  }
  EXPECT_EQ(all, broken);
}

}  // namespace
}  // namespace muster::doctor
