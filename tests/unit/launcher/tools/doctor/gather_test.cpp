// Facts from a made-up root directory.
#include "launcher/tools/doctor/gather.hpp"

#include "core/doctor/check.hpp"
#include "fixtures/scratch_directory.hpp"

#include <gtest/gtest.h>

namespace muster::doctor {
namespace {

namespace fs = std::filesystem;

void add_everything(const Surroundings& surroundings, Facts& facts) {
  facts = gather(surroundings);
}

class MadeUpRoot : public testing::Test {
 protected:
  void write(const std::string& name, std::string_view text) {
    fs::create_directories(fs::path(directory_.path(name)).parent_path());
    static_cast<void>(directory_.write(name, text));
  }
  [[nodiscard]] fs::path root() const { return directory_.path(); }

  Facts gathered(void (*add)(const Surroundings&, Facts&), Environment environment = {}) {
    Surroundings surroundings;
    surroundings.root = root();
    surroundings.environment = std::move(environment);
    surroundings.nvml = NVML_DOUBLE;
    Facts facts;
    add(surroundings, facts);
    return facts;
  }

 private:
  fixtures::ScratchDirectory directory_;
};

TEST_F(MadeUpRoot, HasNothingThatIsTakenForHealth) {
  const auto fabric = gathered(add_fabric_facts);
  EXPECT_EQ(fabric.text("ib.devices"), "0");
  EXPECT_FALSE(fabric.has("ib.active"));
  EXPECT_TRUE(gathered(add_gpu_facts).all().empty());
  const auto host = gathered(add_host_facts);
  EXPECT_FALSE(host.has("limit.memlock"));
  EXPECT_FALSE(host.has("logind.remove_ipc"));
}

TEST_F(MadeUpRoot, SaysWhatProcHides) {
  write("proc/self/mounts",
        "sysfs /sys sysfs rw 0 0\nproc /proc proc rw,relatime 0 0\n"
        "proc /proc proc rw,gid=27,hidepid=invisible 0 0\n");
  const auto facts = gathered(add_host_facts);
  EXPECT_EQ(facts.text("proc.hidepid"), "invisible");
  EXPECT_EQ(facts.text("proc.gid"), "27");
  EXPECT_TRUE(facts.has("pidfds"));
}

TEST_F(MadeUpRoot, SaysNothingOfAProcThatHidesNothing) {
  write("proc/self/mounts",
        "proc /proc proc rw,relatime 0 0\nproc /chroot/proc proc rw,hidepid=2 0 0\n");
  EXPECT_FALSE(gathered(add_host_facts).has("proc.hidepid"));
}

TEST_F(MadeUpRoot, GivesVariablesOfFilesWithTheirPlaces) {
  write("etc/nccl.conf", "NCCL_DEBUG=INFO\nNCCL_IB_TIMEOUT=23\n");
  const auto facts = gathered(add_variable_facts);
  EXPECT_EQ(facts.text("conf.NCCL_IB_TIMEOUT"), "23");
  EXPECT_EQ(facts.text("conf.where.NCCL_IB_TIMEOUT"), (root() / "etc/nccl.conf").string() + ":2");
  EXPECT_FALSE(facts.has("conf.NCCL_DEBUG"));
}

TEST_F(MadeUpRoot, GivesLimitsOfThisProcessAndOfSlurmd) {
  const std::string_view limits =
      "Limit                     Soft Limit           Hard Limit           Units     \n"
      "Max stack size            unlimited            unlimited            bytes     \n"
      "Max processes             4096                 96365                processes \n"
      "Max open files            1024                 524288               files     \n"
      "Max locked memory         65536                8388608              bytes     \n";
  write("proc/self/limits", limits);
  write("proc/self/status", "Name:\tmuster\nPPid:\t7\n");
  write("proc/7/status", "Name:\tsrun\nPPid:\t6\n");
  write("proc/7/comm", "bash\n");
  write("proc/6/comm", "slurmstepd\n");
  write("proc/6/limits", limits);
  const auto facts = gathered(add_host_facts);
  EXPECT_EQ(facts.text("limit.memlock"), "65536");
  EXPECT_EQ(facts.text("limit.nofile"), "524288");
  EXPECT_EQ(facts.text("limit.nproc"), "4096");
  EXPECT_EQ(facts.text("limit.stack"), "unlimited");
  EXPECT_EQ(facts.text("slurmd.memlock"), "8388608");
}

TEST_F(MadeUpRoot, GivesTheSmallestLimitOfProcessesOnTheWayUp) {
  write("proc/self/cgroup", "0::/slurm/job/step\n");
  write("sys/fs/cgroup/slurm/job/step/pids.max", "max\n");
  write("sys/fs/cgroup/slurm/job/pids.max", "512\n");
  write("sys/fs/cgroup/slurm/pids.max", "9000\n");
  EXPECT_EQ(gathered(add_host_facts).text("pids.max"), "512");
}

TEST_F(MadeUpRoot, GivesWhatLogindRemovesFromItsLastFile) {
  fs::create_directories(root() / "sys/fs/cgroup/system.slice/systemd-logind.service");
  write("etc/systemd/logind.conf", "#RemoveIPC=yes\n");
  EXPECT_EQ(gathered(add_host_facts).text("logind.remove_ipc"), "yes");
  write("etc/systemd/logind.conf", "#RemoveIPC=no\n");  // Red Hat's default
  EXPECT_EQ(gathered(add_host_facts).text("logind.remove_ipc"), "no");
  write("etc/systemd/logind.conf", "[Login]\n");
  EXPECT_EQ(gathered(add_host_facts).text("logind.remove_ipc"), "yes, the default");
  write("etc/systemd/logind.conf.d/ipc.conf", "[Login]\nRemoveIPC=no\n");
  EXPECT_EQ(gathered(add_host_facts).text("logind.remove_ipc"), "no");
}

TEST_F(MadeUpRoot, GivesTheMountOfTheCache) {
  write("proc/self/mounts",
        "/dev/sda / ext4 rw 0 0\nmgs:/work /work lustre rw,flock 0 0\nx /workshop nfs rw 0 0\n");
  const auto facts = gathered(add_file_facts, {{"HOME", "/home/a"}, {"HF_HOME", "/work/a"}});
  EXPECT_EQ(facts.text("cache.type"), "lustre");
  EXPECT_EQ(facts.text("cache.options"), "rw,flock");
}

TEST_F(MadeUpRoot, GivesSpaceAndForgottenFiles) {
  fs::create_directories(root() / "tmp");
  write("home/a/.nccl.conf", "NCCL_DEBUG=INFO\n");
  const auto facts = gathered(add_file_facts, {{"HOME", "/home/a"}});
  EXPECT_EQ(facts.text("tmp.writable"), "yes");
  EXPECT_GT(facts.count("tmp.free"), 0U);
  EXPECT_EQ(facts.text("nccl.own_file"), "/home/a/.nccl.conf");
  EXPECT_EQ(facts.text("shm.writable"), "no");
}

TEST_F(MadeUpRoot, GivesInterfacesThatAreUpAndNotLocal) {
  for (const std::string name : {"eth0", "docker0", "ib0"}) {
    write("sys/class/net/" + name + "/mtu", name == "ib0" ? "4092\n" : "1500\n");
    write("sys/class/net/" + name + "/operstate", name == "ib0" ? "down\n" : "up\n");
  }
  const auto facts = gathered(add_network_facts);
  EXPECT_EQ(facts.text("net.interfaces"), "docker0 eth0");
  EXPECT_EQ(facts.text("net.mtu"), "1500");
}

TEST_F(MadeUpRoot, GivesTheSizesOfDevicesWhateverTheirNames) {
  for (const std::string name : {"bond0", "ens2", "ens1"}) {
    write("sys/class/net/" + name + "/mtu", name == "ens1" ? "9000\n" : "1500\n");
    write("sys/class/net/" + name + "/operstate", "up\n");
    if (name != "bond0") fs::create_directories(root() / "sys/class/net" / name / "device");
  }
  EXPECT_EQ(gathered(add_network_facts).text("net.mtu"), "1500 9000");
}

TEST_F(MadeUpRoot, TakesARefusalForAWayThrough) {
  Surroundings surroundings;
  surroundings.environment = {{"SLURMD_NODENAME", "here"},
                              {"SLURM_STEP_NODELIST", "here,localhost"}};
  Facts facts;
  facts.set("sysctl.ports", "1-1");
  add_peer_facts(surroundings, facts);
  EXPECT_TRUE(facts.has("peers.blocked"));
  EXPECT_EQ(facts.text("peers.blocked"), "");
}

TEST_F(MadeUpRoot, NamesPeersThatAreUnknownOrCannotBeReached) {
  Surroundings surroundings;
  surroundings.environment = {{"SLURMD_NODENAME", "here"},
                              {"SLURM_STEP_NODELIST", "no-such-host.invalid,here,255.255.255.255"}};
  Facts facts;
  facts.set("sysctl.ports", "1-1");
  add_peer_facts(surroundings, facts);
  EXPECT_EQ(facts.text("peers.unknown"), "no-such-host.invalid");
  EXPECT_TRUE(facts.text("peers.blocked").starts_with("255.255.255.255 (255.255.255.255) port 1: "))
      << facts.text("peers.blocked");
}

TEST_F(MadeUpRoot, NamesProxiesAndNeverTheirValues) {
  const auto without = gathered(add_network_facts, {{"http_proxy", "http://me:secret@p"}});
  EXPECT_EQ(without.text("proxy.set"), "http_proxy");
  EXPECT_EQ(without.text("proxy.skips_own_name"), "no");
  const auto all =
      gathered(add_everything, {{"http_proxy", "http://me:secret@p"}, {"NCCL_IB_TIMEOUT", "23"}});
  EXPECT_EQ(all.text("env.NCCL_IB_TIMEOUT"), "23");
  for (const auto& [name, value] : all.all())
    EXPECT_EQ(value.find("secret"), std::string::npos) << name;
  const auto with = gathered(add_network_facts, {{"http_proxy", "p"}, {"no_proxy", "a, *"}});
  EXPECT_EQ(with.text("proxy.skips_own_name"), "yes");
}

TEST_F(MadeUpRoot, GivesPortsOfInfiniBand) {
  const std::string port = "sys/class/infiniband/mlx5_0/ports/1/";
  write(port + "state", "4: ACTIVE\n");
  write(port + "rate", "400 Gb/sec (4X NDR)\n");
  write(port + "link_layer", "InfiniBand\n");
  write(port + "pkeys/0", "0x7fff\n");
  write(port + "pkeys/1", "0x0000\n");
  write(port + "counters/link_downed", "2\n");
  write(port + "counters/link_error_recovery", "1\n");
  write("sys/class/infiniband/mlx5_1/ports/1/state", "1: DOWN\n");
  write("dev/infiniband/uverbs0", "");
  fs::create_directories(root() / "sys/class/cxi/cxi0");
  auto facts = gathered(add_fabric_facts);
  EXPECT_EQ(facts.text("ib.active"), "1");
  EXPECT_EQ(facts.text("ib.not_active"), "mlx5_1:1 1: DOWN");
  EXPECT_EQ(facts.text("ib.rates"), "400 Gb/sec (4X NDR)");
  EXPECT_EQ(facts.text("ib.limited"), "mlx5_0:1");
  EXPECT_EQ(facts.text("ib.link_downed"), "2");
  EXPECT_EQ(facts.text("ib.link_error_recovery"), "1");
  EXPECT_EQ(facts.text("ib.uverbs"), "1");
  EXPECT_EQ(facts.text("cxi.no_handler"), "cxi0");
  write(port + "pkeys/1", "0x8001\n");
  fs::create_directories(root() / "run/cxi/cxi0");
  facts = gathered(add_fabric_facts);
  EXPECT_EQ(facts.text("ib.limited"), "");
  EXPECT_EQ(facts.text("cxi.no_handler"), "");
}

TEST_F(MadeUpRoot, GivesGpusOfTheDriver) {
  write("proc/driver/nvidia/version",
        "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  x\n");
  fs::create_directories(root() / "proc/driver/nvidia/gpus/0000:01:00.0");
  write("sys/bus/pci/devices/0000:01:00.0/current_link_width", "8\n");
  write("sys/bus/pci/devices/0000:01:00.0/max_link_width", "16\n");
  write("sys/bus/pci/devices/0000:01:00.0/iommu_group/type", "DMA-FQ\n");
  auto facts = gathered(add_gpu_facts);
  EXPECT_EQ(facts.text("gpu.driver"), "535.104.05");
  EXPECT_EQ(facts.text("gpu.count"), "1");
  EXPECT_EQ(facts.text("gpu.narrow"), "0000:01:00.0 has 8 of 16 lanes");
  EXPECT_EQ(facts.text("iommu.types"), "DMA-FQ");
  EXPECT_EQ(facts.text("gpu.peer_memory"), "no");
  EXPECT_EQ(facts.text("nvml"), "ok");
  EXPECT_EQ(facts.text("gpu.peer_refused"), "0-1 (not supported by this chipset)");
  EXPECT_EQ(facts.text("gpu.peer_links"), "PCIe");
  // If this library has no function for a fact, the fact is missing.
  EXPECT_FALSE(facts.has("gpu.ecc"));
  fs::create_directories(root() / "sys/module/nvidia_peermem");
  EXPECT_EQ(gathered(add_gpu_facts).text("gpu.peer_memory"), "yes");
}

TEST_F(MadeUpRoot, SurvivesALibraryThatHangsRefusesOrCrashes) {
  write("proc/driver/nvidia/version",
        "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  550.54\n");
  for (const std::string mode : {"hang", "crash", "refuse"}) {
    setenv("NVML_DOUBLE", mode.c_str(), 1);
    EXPECT_EQ(gathered(add_gpu_facts).text("nvml"),
              mode == "refuse" ? "error 999" : "no answer in time, or a crash");
  }
  unsetenv("NVML_DOUBLE");
}

TEST_F(MadeUpRoot, SeesGpusThatNvlinkJoins) {
  write("proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54\n");
  setenv("NVML_DOUBLE", "linked", 1);
  const auto facts = gathered(add_gpu_facts);
  unsetenv("NVML_DOUBLE");
  EXPECT_TRUE(facts.has("gpu.peer_refused"));
  EXPECT_EQ(facts.text("gpu.peer_refused"), "");
  EXPECT_EQ(facts.text("gpu.peer_links"), "NVLink");
}

TEST_F(MadeUpRoot, HasABoundForAllThatHangsTogether) {
  write("proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54\n");
  Surroundings surroundings;
  surroundings.root = root();
  surroundings.nvml = NVML_DOUBLE;
  surroundings.deadline = Clock::now();
  setenv("NVML_DOUBLE", "hang", 1);
  const auto begin = Clock::now();
  Facts facts;
  add_gpu_facts(surroundings, facts);
  unsetenv("NVML_DOUBLE");
  EXPECT_EQ(facts.text("nvml"), "no answer in time, or a crash");
  EXPECT_LT(Clock::now() - begin, child_timeout);
  EXPECT_LT(time_for_child(surroundings), child_timeout);
}

TEST_F(MadeUpRoot, GivesAForeignLibraryInThePath) {
  write("opt/mpi/lib/libpmix.so.2", "");
  Surroundings surroundings;
  surroundings.root = root();
  Facts facts;
  // Far more than a fact can hold.
  surroundings.environment = {
      {"LD_LIBRARY_PATH", std::string(max_fact_bytes, 'x') + ":/opt/mpi/lib"}};
  add_library_facts(surroundings, facts);
  EXPECT_EQ(facts.text("pmix.in_path"), "/opt/mpi/lib");
  EXPECT_EQ(facts.text("pmix.path_version"), "");
}

TEST_F(MadeUpRoot, GivesTheVersionOfTheNcclThatTheUsersProgramsFind) {
  Surroundings surroundings;
  surroundings.root = root();
  surroundings.environment = {{"LD_LIBRARY_PATH", std::string("/nowhere::") + GPU_DOUBLES}};
  Facts facts;
  add_library_facts(surroundings, facts);
  EXPECT_EQ(facts.text("nccl.version"), "22809");
}

TEST_F(MadeUpRoot, GivesThePluginThatSlurmIsToldToLoad) {
  write("usr/lib/slurm/muster.so", std::string("plugin\0muster.so for Slurm 24.11.5\0more", 39));
  write("etc/muster.yaml", "site: x");
  write("etc/slurm/plugstack.conf",
        "# required /no/muster.so\ninclude /etc/slurm/plugstack.conf.d/*.conf\n");
  write("etc/slurm/plugstack.conf.d/90.conf",
        "optional  /usr/lib/slurm/muster.so config=/etc/muster.yaml\n");
  Surroundings surroundings;
  surroundings.root = root();
  Facts facts;
  add_plugin_facts(surroundings, facts);
  EXPECT_EQ(facts.text("plugin.line"), "optional /usr/lib/slurm/muster.so");
  EXPECT_EQ(facts.text("plugin.hash"), hash_of(root() / "usr/lib/slurm/muster.so"));
  EXPECT_EQ(facts.text("plugin.release"), "24.11.5");
  EXPECT_EQ(facts.text("config.hash"), hash_of(root() / "etc/muster.yaml"));
  EXPECT_FALSE(facts.has("plugin.machine"));  // it is no ELF file
  std::string elf("\x7f\x45LF\x02\x01\x01", 7);
  elf.resize(18);
  write("usr/lib/slurm/muster.so", elf + std::string("\xb7\0 and more", 11));
  add_plugin_facts(surroundings, facts);
  EXPECT_EQ(facts.text("plugin.machine"), "aarch64");
  fs::remove(root() / "usr/lib/slurm/muster.so");
  Facts without;
  add_plugin_facts(surroundings, without);
  EXPECT_FALSE(without.has("plugin.hash"));
}

TEST_F(MadeUpRoot, EndsIncludesThatGoInCircles) {
  write("etc/slurm/plugstack.conf", "include /etc/slurm/*.conf\n");
  Surroundings surroundings;
  surroundings.root = root();
  Facts facts;
  add_plugin_facts(surroundings, facts);
  EXPECT_EQ(facts.text("plugin.line"), "");
}

}  // namespace
}  // namespace muster::doctor
