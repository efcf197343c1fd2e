#include "worker/nccl/checks.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace muster::worker::nccl {
namespace {

std::string node_of(int rank) {
  return "node" + std::to_string(rank / 4 + 1);
}

// Nodes of four ranks, each with its own GPU.
SeenRank healthy(int rank) {
  SeenRank seen{.rank = rank, .facts = {}};
  auto& facts = seen.facts;
  facts.nccl_version = 22809;
  facts.host_hash = static_cast<std::uint64_t>(rank / 4 + 1);
  facts.gpu.state = cuda::Gpu::State::found;
  facts.gpu.device = rank % 4;
  facts.gpu.count = 4;
  facts.gpu.driver_version = 12080;
  facts.gpu.bus_id = "0000:" + std::to_string(rank % 4 + 1) + "1:00.0";
  facts.gpu.uuid[0] = static_cast<unsigned char>(rank + 1);
  return seen;
}

class NcclChecks : public ::testing::Test {
 protected:
  NcclChecks() {
    for (int rank = 0; rank < 8; ++rank) seen.push_back(healthy(rank));
  }
  RankFacts& facts(int rank) { return seen[static_cast<std::size_t>(rank)].facts; }
  std::string line(int mine = 0) {
    const auto found = fault(seen, seen[static_cast<std::size_t>(mine)], node_of);
    status = found ? found->status() : MUSTER_OK;
    return found ? found->what() : "";
  }

  std::vector<SeenRank> seen;
  muster_status status = MUSTER_OK;
};

TEST_F(NcclChecks, FindNothingWhereAllIsWell) {
  EXPECT_EQ(line(), "");
}

TEST_F(NcclChecks, NameTheRanksThatShareAGpu) {
  facts(5).gpu = facts(4).gpu;
  EXPECT_EQ(line(),
            "node2: ranks 4 and 5 both use GPU 0000:11:00.0: NCCL needs one GPU for each rank; set "
            "the CUDA device to LOCAL_RANK, or start fewer ranks on the node "
            "(MUSTER_NCCL_SHARED_GPU if you intend this)");
  EXPECT_EQ(status, MUSTER_ERR_GPU);
}

TEST_F(NcclChecks, NameAllRanksThatUseTheSameDevice) {
  for (const int rank : {4, 5, 6, 7}) facts(rank).gpu = facts(4).gpu;
  EXPECT_NE(line().find("node2: ranks 4 to 7 all use GPU 0000:11:00.0"), std::string::npos);
}

TEST_F(NcclChecks, TakeTheSameBusIdOnTwoHostsForTwoGpus) {
  EXPECT_EQ(facts(0).gpu.bus_id, facts(4).gpu.bus_id);
  EXPECT_EQ(line(), "");
}

TEST_F(NcclChecks, LetRanksShareAGpuWhenAllOfThemWantTo) {
  facts(5).gpu = facts(4).gpu;
  facts(4).shared_gpu = true;
  EXPECT_NE(line(), "");
  facts(5).shared_gpu = true;
  EXPECT_EQ(line(), "");
}

TEST_F(NcclChecks, LetRanksShareAGpuThatNcclTakesForOnesOfOtherHosts) {
  facts(5).gpu = facts(4).gpu;
  facts(5).host_hash = 77;  // NCCL_HOSTID
  EXPECT_EQ(line(), "");
}

TEST_F(NcclChecks, TellOfMigInstances) {
  facts(5).gpu.bus_id = facts(4).gpu.bus_id;
  EXPECT_NE(line().find("GPU 0000:11:00.0 (MIG instances of it, which NCCL treats as one GPU)"),
            std::string::npos);
}

TEST_F(NcclChecks, NameBothVersionsOfNcclAndWhereTheyAre) {
  facts(6).nccl_version = facts(7).nccl_version = 22705;
  EXPECT_EQ(line(),
            "node2: ranks 6 and 7 have NCCL 2.27.5, but rank 0 on node1 has 2.28.9: use the same "
            "environment or container image on every node");
  EXPECT_EQ(status, MUSTER_ERR_GPU);
}

TEST_F(NcclChecks, TellOthersOfARankWithoutNccl) {
  facts(6).nccl_version = 0;
  EXPECT_EQ(line(),
            "node2: rank 6 finds no NCCL; every node needs the same one: install it there, or "
            "set MUSTER_NCCL_LIBRARY");
  EXPECT_EQ(status, MUSTER_ERR_LIBRARY);
}

TEST_F(NcclChecks, NameRanksWithoutADriver) {
  for (const int rank : {4, 5, 6, 7}) {
    facts(rank).gpu = cuda::Gpu{};
    facts(rank).gpu.state = cuda::Gpu::State::no_driver;
    facts(rank).gpu.why = "libcuda.so.1: no such file";
  }
  EXPECT_EQ(line(),
            "node2: ranks 4 to 7 have no NVIDIA driver (libcuda.so.1: no such file): run on "
            "nodes with GPUs, in a container with --nv or a similar option");
  EXPECT_EQ(status, MUSTER_ERR_GPU);
}

TEST_F(NcclChecks, CountRanksOfOtherNodesWithTheSameFault) {
  for (const int rank : {2, 3, 4, 5, 6}) facts(rank).gpu.state = cuda::Gpu::State::no_device;
  EXPECT_EQ(line(),
            "node1: ranks 2 and 3 see no GPU: ask Slurm for GPUs (--gpus-per-node, "
            "--gpus-per-task), and check CUDA_VISIBLE_DEVICES; 3 ranks on other nodes as well");
}

TEST_F(NcclChecks, NameARankWithoutAGpu) {
  facts(3).gpu.state = cuda::Gpu::State::no_device;
  EXPECT_EQ(line(),
            "node1: rank 3 sees no GPU: ask Slurm for GPUs (--gpus-per-node, --gpus-per-task), and "
            "check CUDA_VISIBLE_DEVICES");
}

TEST_F(NcclChecks, NameARankThatWantsAGpuThatIsNotThere) {
  facts(3).gpu.state = cuda::Gpu::State::no_such_index;
  facts(3).gpu.count = 1;
  EXPECT_EQ(line(),
            "node1: rank 3 would use GPU 3, but sees only 1: ask Slurm for more, or start fewer "
            "ranks on the node");
}

TEST_F(NcclChecks, SayWhatTheDriverSays) {
  facts(3).gpu.state = cuda::Gpu::State::failed;
  facts(3).gpu.why = "system not yet initialized";
  EXPECT_EQ(
      line(),
      "node1: rank 3 cannot use a GPU: the driver says 'system not yet initialized'; run nvidia-smi there");
}

TEST_F(NcclChecks, NameADriverOfAnOlderMajorReleaseAndTheOneThatIsNeeded) {
  for (auto& one : seen) one.facts.cuda_needed = 13000;
  for (int rank = 0; rank < 4; ++rank) facts(rank).gpu.driver_version = 13010;
  EXPECT_EQ(line(),
            "node2: ranks 4 to 7 need CUDA 13.0, but the driver is for CUDA 12.8: install driver "
            "580 or newer there, or use a program built for CUDA 12");
  EXPECT_EQ(status, MUSTER_ERR_GPU);
}

TEST_F(NcclChecks, AcceptADriverOfTheSameMajorRelease) {
  for (auto& one : seen) one.facts.cuda_needed = 12090;
  EXPECT_EQ(line(), "");
  for (auto& one : seen) one.facts.cuda_needed = 11080;
  EXPECT_EQ(line(), "");
}

TEST_F(NcclChecks, AskNothingOfGpusThatNobodyLookedAt) {
  for (auto& one : seen) {
    one.facts.cuda_needed = 13000;
    one.facts.gpu = cuda::Gpu{};
  }
  EXPECT_EQ(line(), "");
}

TEST_F(NcclChecks, RefuseRanksOfAnotherGenerationOrNumberOfRoots) {
  facts(2).generation = 3;
  EXPECT_EQ(line(),
            "node1: rank 2 creates NCCL communicator generation 3, but rank 0 on node1 creates "
            "generation 0: "
            "every rank must number its communicators in the same way");
  EXPECT_EQ(status, MUSTER_ERR_MISMATCH);
  facts(2).generation = 0;
  facts(7).roots = 2;
  EXPECT_EQ(
      line(),
      "node2: rank 7 asks for 2 NCCL roots, but rank 0 on node1 asks for 1: use the same `roots` "
      "and `ranks_per_root` on every rank");
}

TEST_F(NcclChecks, PassOnWhyARootHasNoId) {
  facts(4).no_id = "ncclGetUniqueId: no interface";
  EXPECT_EQ(line(), "node2: rank 4: ncclGetUniqueId: no interface");
  EXPECT_EQ(status, MUSTER_ERR_NCCL);
}

TEST_F(NcclChecks, SayTheSameOnEveryRankThatSeesTheFault) {
  facts(5).gpu = facts(4).gpu;
  const auto first = line(0);
  for (int rank = 1; rank < 8; ++rank) EXPECT_EQ(line(rank), first) << rank;
}

}  // namespace
}  // namespace muster::worker::nccl
