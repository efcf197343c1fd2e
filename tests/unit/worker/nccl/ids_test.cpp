#include "worker/nccl/ids.hpp"

#include "nccl_double.hpp"
#include "unit/worker/cuda/cuda_double.hpp"
#include "unit/worker/tcp/loopback_ranks.hpp"
#include "unit/worker/transport_double.hpp"
#include "worker/error.hpp"
#include "worker/nccl/verdict.hpp"
#include "worker/record.hpp"

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <thread>

#include <gtest/gtest.h>

namespace muster::worker::nccl {
namespace {

using cuda::CudaDouble;

struct Result {
  std::vector<std::string> ids;
  muster_status status = MUSTER_OK;
  std::string text;
};

// Ranks as threads, two per node, each with the GPU of its local number unless the test changes it.
class NcclIdsOf : public ::testing::Test {
 protected:
  Result rank_of(int size, int rank, std::unique_ptr<Transport> transport) {
    Step step{std::move(transport), std::chrono::seconds{60}};
    IdsRequest request{.roots = {size, roots}};
    request.device = rank % 2;
    if (change) change(rank, request);
    Libraries libraries{.nccl = &api, .no_nccl = {}, .open_cuda = [this] { return cuda.open(); }};
    if (rank == without_nccl) {
      libraries.nccl = nullptr;
      libraries.no_nccl = Error{MUSTER_ERR_LIBRARY, "no libnccl"};
    }
    const Environment environment{{{"NCCL_HOSTID", "node" + std::to_string(node(rank))}}};
    Result result;
    try {
      const auto gathered =
          gather_ids(step, libraries, request, environment, step.deadline(MUSTER_DEFAULT));
      for (const auto& id : gathered.ids) result.ids.emplace_back(id.internal.data());
    } catch (const Error& error) {
      result.status = error.status();
      result.text = error.what();
    }
    return result;
  }

  using MakeTransport = std::function<std::unique_ptr<Transport>(int rank)>;
  std::vector<Result> run(int size, const MakeTransport& make) {
    std::vector<Result> results(static_cast<std::size_t>(size));
    std::vector<std::jthread> ranks;
    for (int rank = 0; rank < size; ++rank) {
      ranks.emplace_back([this, size, rank, &make, &results] {
        results[static_cast<std::size_t>(rank)] = rank_of(size, rank, make(rank));
      });
    }
    ranks.clear();
    return results;
  }

  std::vector<Result> run(int size) {
    const auto room = std::make_shared<Room>(size);
    room->node = node;
    room->tamper = tamper;
    return run(size, [&room](int rank) { return make_room_transport(room, rank); });
  }

  NcclDouble nccl;
  cuda::CudaDouble cuda{2};
  NcclApi api = nccl.api();
  int roots = 1;
  int without_nccl = -1;
  std::function<void(int, IdsRequest&)> change;
  std::function<int(int)> node = [](int rank) { return rank / 2; };
  std::function<void(int, Bytes&)> tamper;
};

TEST_F(NcclIdsOf, OneRootAreTheSameOnAllRanks) {
  for (const auto& result : run(6)) {
    EXPECT_EQ(result.text, "");
    EXPECT_EQ(result.ids, std::vector<std::string>{"id 1"});
  }
  EXPECT_EQ(nccl.ids_made(), 1);
}

TEST_F(NcclIdsOf, SeveralRootsAreInOneOrderOnAllRanks) {
  roots = 3;
  const auto results = run(7);
  EXPECT_EQ(nccl.ids_made(), 3);
  ASSERT_EQ(results[0].ids.size(), 3u);
  for (const auto& result : results) EXPECT_EQ(result.ids, results[0].ids);
}

TEST_F(NcclIdsOf, ManyRanksAreTheSameToo) {
  roots = 5;
  const auto results = run(100);
  for (const auto& result : results) {
    EXPECT_EQ(result.text, "");
    EXPECT_EQ(result.ids, results[0].ids);
  }
}

TEST_F(NcclIdsOf, RanksOnOneGpuAreRefusedOnEveryRankOfASmallStep) {
  change = [](int rank, IdsRequest& request) {
    if (rank == 3) request.device = 0;
  };
  for (const auto& result : run(6)) {
    EXPECT_EQ(result.status, MUSTER_ERR_GPU);
    EXPECT_EQ(result.text.find("node2: ranks 2 and 3 both use GPU 0000:41:00.0"), 0u)
        << result.text;
  }
}

TEST_F(NcclIdsOf, NoGpuIsAskedForWithIdsOnly) {
  cuda.init_result = cuda::cuda_no_device;
  EXPECT_EQ(run(2)[0].status, MUSTER_ERR_GPU);
  change = [](int, IdsRequest& request) { request.look_at_gpus = false; };
  EXPECT_EQ(run(2)[0].status, MUSTER_OK);
}

TEST_F(NcclIdsOf, ARankWithoutNcclSaysWhyAndTheOthersHearOfItAtOnce) {
  without_nccl = 3;
  const auto results = run(4);
  EXPECT_EQ(results[3].text, "no libnccl");
  EXPECT_EQ(results[0].status, MUSTER_ERR_LIBRARY);
  EXPECT_EQ(results[0].text.find("node2: rank 3 finds no NCCL"), 0u) << results[0].text;
}

TEST_F(NcclIdsOf, ARootThatCannotMakeItsIdIsNamedOnAllRanks) {
  nccl.unique_id_result = 5;
  nccl.last_error = "Bootstrap : no socket interface found";
  for (const auto& result : run(4)) {
    EXPECT_EQ(result.status, MUSTER_ERR_NCCL);
    EXPECT_EQ(result.text,
              "node1: rank 0: ncclGetUniqueId: the double's error (Bootstrap : no socket interface "
              "found); check NCCL_SOCKET_IFNAME, or set NCCL_DEBUG=WARN to see more");
  }
}

TEST_F(NcclIdsOf, AnotherGenerationIsRefused) {
  change = [](int rank, IdsRequest& request) { request.generation = rank == 1 ? 1 : 0; };
  for (const auto& result : run(4)) EXPECT_EQ(result.status, MUSTER_ERR_MISMATCH);
}

TEST_F(NcclIdsOf, AnOldAddressInTheEnvironmentIsForgotten) {
  ::setenv("NCCL_COMM_ID", "192.0.2.1:29500", 1);
  run(2);
  EXPECT_EQ(std::getenv("NCCL_COMM_ID"), nullptr);
  EXPECT_EQ(nccl.ids_made(), 1) << "it is gone before NCCL is asked";
}

// More ranks than read each other's facts: 256 nodes, four shares.
class NcclIdsOfALargeStep : public NcclIdsOf {
 protected:
  static constexpr int size = 512;
  NcclIdsOfALargeStep() { roots = 4; }

  void expect_everywhere(muster_status status, const std::string& start) {
    const auto results = run(size);
    for (const auto& result : results) {
      EXPECT_EQ(result.status, status);
      EXPECT_EQ(result.text.find(start), 0u) << result.text;
      EXPECT_EQ(result.text, results[0].text);
    }
  }
};

TEST_F(NcclIdsOfALargeStep, AreTheSameOnAllRanks) {
  const auto results = run(size);
  EXPECT_EQ(nccl.ids_made(), 4);
  ASSERT_EQ(results[0].ids.size(), 4u);
  for (const auto& result : results) {
    EXPECT_EQ(result.text, "");
    EXPECT_EQ(result.ids, results[0].ids);
  }
}

TEST_F(NcclIdsOfALargeStep, ComeFromRootsThatAreNotCheckersToo) {
  roots = 3;
  for (const auto& result : run(size)) {
    EXPECT_EQ(result.text, "");
    EXPECT_EQ(result.ids.size(), 3u);
  }
}

TEST_F(NcclIdsOfALargeStep, AreRefusedOnEveryRankWhereTwoUseOneGpu) {
  change = [](int rank, IdsRequest& request) {
    if (rank == 271) request.device = 0;
  };
  expect_everywhere(MUSTER_ERR_GPU, "node136: ranks 270 and 271 both use GPU 0000:41:00.0");
}

TEST_F(NcclIdsOfALargeStep, AreRefusedOnEveryRankWhereTheTwoAreInDifferentShares) {
  node = [](int rank) { return rank % 256; };
  change = [](int rank, IdsRequest& request) {
    request.device = rank >= 256 && rank != 263 ? 1 : 0;
  };
  expect_everywhere(MUSTER_ERR_GPU, "node8: ranks 7 and 263 both use GPU 0000:41:00.0");
}

TEST_F(NcclIdsOfALargeStep, AreRefusedOnEveryRankWhereOneHasNoSuchGpu) {
  change = [](int rank, IdsRequest& request) {
    if (rank == 500) request.device = 5;
  };
  expect_everywhere(MUSTER_ERR_GPU, "node251: rank 500 would use GPU 5, but sees only 2");
}

TEST_F(NcclIdsOfALargeStep, AreRefusedOnEveryOtherRankWhereOneHasNoNccl) {
  for (const int rank : {300, 384}) {  // the last one is a root and a checker
    without_nccl = rank;
    const auto results = run(size);
    for (int other = 0; other < size; ++other) {
      const auto& result = results[static_cast<std::size_t>(other)];
      EXPECT_EQ(result.status, MUSTER_ERR_LIBRARY);
      const auto line = other == rank ? "no libnccl"
                                      : "node" + std::to_string(rank / 2 + 1) + ": rank " +
                                            std::to_string(rank) + " finds no NCCL";
      EXPECT_EQ(result.text.find(line), 0u) << result.text;
    }
  }
}

TEST_F(NcclIdsOfALargeStep, AreRefusedOnEveryRankWhereARootCannotMakeItsId) {
  nccl.unique_id_result = 5;
  expect_everywhere(MUSTER_ERR_NCCL, "node1: rank 0: ncclGetUniqueId: ");
}

TEST_F(NcclIdsOfALargeStep, AreRefusedOnEveryRankWhereOneAsksForOtherRoots) {
  change = [](int rank, IdsRequest& request) {
    if (rank >= 384) request.roots = {size, 1};
  };
  for (const auto& result : run(size)) {
    EXPECT_EQ(result.status, MUSTER_ERR_MISMATCH);
    EXPECT_NE(result.text.find("NCCL root"), std::string::npos) << result.text;
  }
}

TEST_F(NcclIdsOfALargeStep, AreRefusedOnEveryRankWhereFactsCannotBeRead) {
  tamper = [](int rank, Bytes& bytes) {
    if (rank != 200) return;
    auto record = decode(bytes, rank, [](int) { return std::string{}; });
    if (!record.payload.empty()) record.payload.front() = std::byte{99};
    bytes = encode(record);
  };
  for (const auto& result : run(size)) {
    EXPECT_EQ(result.status, MUSTER_ERR_MISMATCH);
    EXPECT_NE(result.text.find("rank 200"), std::string::npos) << result.text;
  }
}

TEST_F(NcclIdsOfALargeStep, TakeOnePhaseWhereGpusDoNotMatter) {
  cuda.init_result = cuda::cuda_no_device;
  change = [](int, IdsRequest& request) { request.look_at_gpus = false; };
  std::atomic<int> given = 0;
  tamper = [&](int, Bytes&) { ++given; };
  for (const auto& result : run(size)) EXPECT_EQ(result.text, "");
  EXPECT_EQ(given, size);
}

TEST_F(NcclIdsOf, ALargeStepAreRefusedOnEveryRankOverTcpToo) {
  constexpr int size = 300;
  const tcp::LoopbackRanks ranks{size};
  roots = 3;
  change = [](int rank, IdsRequest& request) {
    if (rank == 271) request.device = 0;
  };
  for (const auto& result : run(size, [&](int rank) { return ranks.make(rank); })) {
    EXPECT_EQ(result.status, MUSTER_ERR_GPU);
    EXPECT_EQ(result.text.find("node135: ranks 270 and 271 both use GPU 0000:41:00.0"), 0u)
        << result.text;
  }
}

TEST(NcclFactsToRead, AreFewInALargeStep) {
  IdsRequest request{.roots = {1024, 8}};
  RankInfo place;
  place.size = 1024;
  place.rank = 513;
  EXPECT_EQ(share_to_read(place), std::vector<int>{});
  EXPECT_EQ(verdicts_to_read(request, place),
            (std::vector<int>{0, 128, 256, 384, 512, 640, 768, 896}));
  place.rank = 512;
  EXPECT_EQ(share_to_read(place).size(), 128u);
  EXPECT_EQ(share_to_read(place).front(), 512);
  request.look_at_gpus = false;
  EXPECT_EQ(facts_to_read(request, place),
            (std::vector<int>{0, 128, 256, 384, 511, 512, 640, 768, 896}));
}

TEST(NcclFactsToRead, AreBoundedInTheLargestSteps) {
  IdsRequest request{.roots = Roots::for_each(100'000, standard_ranks_per_root)};
  RankInfo place;
  place.size = 100'000;
  EXPECT_EQ(share_to_read(place).size(), 128u);
  EXPECT_EQ(verdicts_to_read(request, place).size(), 782u);
}

TEST(NcclFactsToRead, AreAllInASmallStepUnlessGpusDoNotMatter) {
  IdsRequest request{.roots = {16, 1}};
  RankInfo place;
  place.size = 16;
  place.rank = 5;
  EXPECT_FALSE(has_verdicts(request, place));
  EXPECT_EQ(facts_to_read(request, place).size(), 16u);
  request.look_at_gpus = false;
  EXPECT_EQ(facts_to_read(request, place), (std::vector<int>{0, 4, 5}));
}

}  // namespace
}  // namespace muster::worker::nccl
