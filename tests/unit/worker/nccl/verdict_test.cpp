#include "worker/nccl/verdict.hpp"

#include <gtest/gtest.h>

namespace muster::worker::nccl {
namespace {

constexpr int ranks_per_node = 4;

std::string node_of(int rank) {
  return "node" + std::to_string(rank / ranks_per_node);
}

SeenRank healthy(int rank) {
  SeenRank seen{.rank = rank, .facts = {}};
  auto& facts = seen.facts;
  facts.nccl_version = 22809;
  facts.host_hash = static_cast<std::uint64_t>(rank / ranks_per_node + 1);
  facts.node_ranks = ranks_per_node;
  facts.gpu.state = cuda::Gpu::State::found;
  facts.gpu.bus_id = "0000:" + std::to_string(rank % ranks_per_node + 1) + "1:00.0";
  facts.gpu.uuid[0] = static_cast<unsigned char>(rank + 1);
  return seen;
}

std::vector<SeenRank> ranks(int first, int count) {
  std::vector<SeenRank> seen;
  for (int rank = first; rank < first + count; ++rank) seen.push_back(healthy(rank));
  return seen;
}

std::vector<int> listed_by(const std::vector<SeenRank>& share) {
  std::vector<int> listed;
  for (const auto& gpu : judge(share, share.front(), node_of).gpus) listed.push_back(gpu.seen.rank);
  return listed;
}

std::string text(const std::optional<Error>& error) {
  return error ? error->what() : "";
}

TEST(NcclShares, AreOfUpTo128RanksWhateverTheirNumber) {
  EXPECT_EQ(shares_of(257).count(), 3);
  EXPECT_EQ(shares_of(512).first_rank(3), 384);
  for (const int size : {257, 511, 16'384, 100'001}) {
    EXPECT_LE(shares_of(size).ranks(0), max_share) << size;
  }
}

TEST(NcclVerdict, ListsNoGpuWhereEveryHostIsWithinTheShare) {
  EXPECT_EQ(listed_by(ranks(4, 12)), std::vector<int>{});
}

TEST(NcclVerdict, ListsTheGpusOfTheHostsAtItsEdges) {
  EXPECT_EQ(listed_by(ranks(2, 12)), (std::vector<int>{2, 3, 12, 13}));
}

TEST(NcclVerdict, ListsAllGpusWhereHostsAreSpreadOverTheShares) {
  std::vector<SeenRank> cyclic;
  for (int rank = 0; rank < 128; ++rank) {
    cyclic.push_back(healthy(rank));
    auto& facts = cyclic.back().facts;
    facts.host_hash =
        static_cast<std::uint64_t>(rank % 64);  // which has four ranks, two of them here
    facts.gpu.bus_id = "0000:" + std::to_string(rank / 64) + "1:00.0";
  }
  EXPECT_EQ(listed_by(cyclic).size(), 128u);
}

TEST(NcclVerdict, ListsGpusOfHostsThatMayBeAnywhere) {
  auto chosen = ranks(0, 4);
  for (auto& rank : chosen) rank.facts.host_chosen = true;
  EXPECT_EQ(listed_by(chosen).size(), 4u) << "NCCL_HOSTID may be that of another node";
  auto unknown_size = ranks(0, 4);
  for (auto& rank : unknown_size) rank.facts.node_ranks = 0;
  EXPECT_EQ(listed_by(unknown_size).size(), 4u);
}

TEST(NcclVerdict, OfAFaultyShareIsTheFault) {
  auto share = ranks(128, 128);
  share[70].facts.gpu.bus_id = share[71].facts.gpu.bus_id;
  const auto verdict = judge(share, share.front(), node_of);
  EXPECT_EQ(text(verdict.fault).find("node49: ranks 198 and 199 both use GPU 0000:41:00.0"), 0u)
      << text(verdict.fault);
}

TEST(NcclVerdict, SaysThatItHasNotSeenAllRanks) {
  auto share = ranks(0, 8);
  for (auto& rank : share) rank.facts.gpu.state = cuda::Gpu::State::no_device;
  const auto line = text(judge(share, share.front(), node_of).fault);
  EXPECT_NE(line.find("node0: ranks 0 to 3 see no GPU"), std::string::npos) << line;
  EXPECT_NE(line.find("; at least 4 ranks on other nodes as well"), std::string::npos) << line;
}

class NcclVerdicts : public ::testing::Test {
 protected:
  // Two shares of six ranks: node1's are in both.
  void give() {
    const auto first = ranks(0, 6);
    const auto second = ranks(6, 6);
    verdicts = {{0, judge(first, first.front(), node_of)},
                {6, judge(second, second.front(), node_of)}};
  }
  std::string line(int mine = 3) { return text(fault(verdicts, healthy(mine), node_of)); }

  std::vector<GivenVerdict> verdicts;
};

TEST_F(NcclVerdicts, AreWellWhereNothingIsWrong) {
  give();
  EXPECT_EQ(line(), "");
}

TEST_F(NcclVerdicts, AreTheFaultOfTheFirstFaultyShareOnEveryRank) {
  give();
  verdicts[0].verdict.fault = Error{MUSTER_ERR_GPU, "node0: the first"};
  verdicts[1].verdict.fault = Error{MUSTER_ERR_NCCL, "node2: the second"};
  for (const int mine : {0, 5, 11}) EXPECT_EQ(line(mine), "node0: the first");
}

TEST_F(NcclVerdicts, NameRanksOfTwoSharesThatUseOneGpu) {
  give();
  verdicts[1].verdict.gpus.front().seen.facts.gpu = healthy(5).facts.gpu;
  EXPECT_EQ(line().find("node1: ranks 5 and 6 both use GPU 0000:21:00.0: "), 0u) << line();
}

TEST_F(NcclVerdicts, LetRanksOfTwoSharesShareAGpuIfBothWantIt) {
  give();
  auto& one = verdicts[0].verdict.gpus.back().seen;
  auto& other = verdicts[1].verdict.gpus.front().seen;
  other.facts.gpu = one.facts.gpu;
  one.facts.shared_gpu = true;
  EXPECT_NE(line(), "");
  other.facts.shared_gpu = true;
  EXPECT_EQ(line(), "");
}

TEST_F(NcclVerdicts, CompareWhatAllRanksMustHaveAlike) {
  give();
  verdicts[1].verdict.own.nccl_version = 22005;
  EXPECT_EQ(
      line(),
      "node1: rank 6 has NCCL 2.20.5, but rank 3 on node0 has 2.28.9: use the same environment "
      "or container image on every node");
  give();
  verdicts[1].verdict.own.generation = 7;
  EXPECT_EQ(line().find("node1: rank 6 creates NCCL communicator generation 7"), 0u) << line();
}

Verdict full() {
  auto share = ranks(2, 5);
  share[0].facts.shared_gpu = true;
  share[0].facts.id.emplace().internal[5] = 'x';
  auto verdict = judge(share, share.front(), node_of);
  verdict.fault = Error{MUSTER_ERR_GPU, "node3: it is broken"};
  return verdict;
}

TEST(NcclVerdictRecord, ComesBackAsItWas) {
  const auto verdict = full();
  const auto back = decode_verdict(encode(verdict), 2, node_of);
  ASSERT_TRUE(back.fault);
  EXPECT_EQ(back.fault->status(), MUSTER_ERR_GPU);
  EXPECT_STREQ(back.fault->what(), "node3: it is broken");
  EXPECT_EQ(back.own.nccl_version, 22809);
  ASSERT_TRUE(back.own.id);
  EXPECT_EQ(back.own.id->internal, verdict.own.id->internal);
  ASSERT_EQ(back.gpus.size(), 5u);
  EXPECT_EQ(back.gpus[0].seen.rank, 2);
  EXPECT_EQ(back.gpus[0].node, "node0");
  EXPECT_TRUE(back.gpus[0].seen.facts.shared_gpu);
  EXPECT_FALSE(back.gpus[4].seen.facts.shared_gpu);
  EXPECT_EQ(back.gpus[4].seen.facts.host_hash, 2u);
  EXPECT_EQ(back.gpus[4].seen.facts.gpu.bus_id, healthy(6).facts.gpu.bus_id);
  EXPECT_EQ(back.gpus[4].seen.facts.gpu.uuid, healthy(6).facts.gpu.uuid);
}

TEST(NcclVerdictRecord, IsSmallWhereAllIsWell) {
  const auto share = ranks(0, 128);
  EXPECT_EQ(encode(judge(share, share.front(), node_of)).size(), 12u + 72u);
}

TEST(NcclVerdictRecord, CutsALongFaultAndKeepsItOnOneLine) {
  auto verdict = full();
  verdict.fault = Error{MUSTER_ERR_GPU, "a\n" + std::string(5000, 'x')};
  const auto back = decode_verdict(encode(verdict), 2, node_of);
  EXPECT_EQ(back.fault->what(), "a?" + std::string(max_fault_line - 2, 'x'));
}

TEST(NcclVerdictRecord, RefusesEveryOtherLength) {
  auto bytes = encode(full());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_THROW(decode_verdict(std::span{bytes}.first(size), 2, node_of), Error) << size;
  }
  bytes.push_back(std::byte{0});
  EXPECT_THROW(decode_verdict(bytes, 2, node_of), Error);
}

TEST(NcclVerdictRecord, RefusesAnotherFormatAndNamesTheRank) {
  auto bytes = encode(full());
  bytes[0] = std::byte{9};
  try {
    decode_verdict(bytes, 6, node_of);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), MUSTER_ERR_MISMATCH);
    EXPECT_STREQ(
        error.what(),
        "node1: rank 6 sent no valid verdict on the NCCL facts (another format); use the same "
        "libmuster and options on every rank");
  }
  bytes = encode(full());
  bytes[1] = std::byte{200};
  EXPECT_THROW(decode_verdict(bytes, 6, node_of), Error);
}

}  // namespace
}  // namespace muster::worker::nccl
