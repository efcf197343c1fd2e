#include "worker/nccl/ids.hpp"

#include "nccl_double.hpp"
#include "unit/worker/cuda/cuda_double.hpp"
#include "unit/worker/transport_double.hpp"
#include "worker/error.hpp"

#include <cstdlib>
#include <mutex>
#include <thread>

#include <gtest/gtest.h>

namespace muster::worker {
namespace {

using testing::CudaDouble;
using testing::make_room_transport;
using testing::NcclDouble;
using testing::Room;

struct Result {
  std::vector<std::string> ids;
  muster_status status = MUSTER_OK;
  std::string text;
};

// Ranks as threads, two on a node, each with the GPU of its local number unless it asks otherwise.
class NcclIdsOf : public ::testing::Test {
 protected:
  Result rank_of(int size, int rank, const std::shared_ptr<Room>& room) {
    Step step{make_room_transport(room, rank), std::chrono::seconds{20}};
    IdsRequest request{.roots = {size, roots}};
    request.device = rank % 2;
    if (change) change(rank, request);
    Libraries libraries{.nccl = &api, .no_nccl = {}, .open_cuda = [this] { return cuda.open(); }};
    if (rank == without_nccl) {
      libraries.nccl = nullptr;
      libraries.no_nccl = Error{MUSTER_ERR_LIBRARY, "no libnccl"};
    }
    const Environment environment{{{"NCCL_HOSTID", "node" + std::to_string(rank / 2 + 1)}}};
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

  std::vector<Result> run(int size) {
    const auto room = std::make_shared<Room>(size);
    std::vector<Result> results(static_cast<std::size_t>(size));
    std::vector<std::jthread> ranks;
    for (int rank = 0; rank < size; ++rank) {
      ranks.emplace_back([this, size, rank, room, &results] {
        results[static_cast<std::size_t>(rank)] = rank_of(size, rank, room);
      });
    }
    ranks.clear();
    return results;
  }

  NcclDouble nccl;
  CudaDouble cuda{2};
  NcclApi api = nccl.api();
  int roots = 1;
  int without_nccl = -1;
  std::function<void(int, IdsRequest&)> change;
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

TEST_F(NcclIdsOf, RanksOnOneGpuAreRefusedOnTheirNodeOfALargeStep) {
  change = [](int rank, IdsRequest& request) {
    if (rank == 271) request.device = 0;
  };
  const auto results = run(280);
  EXPECT_EQ(results[270].status, MUSTER_ERR_GPU);
  EXPECT_EQ(results[271].status, MUSTER_ERR_GPU);
  EXPECT_EQ(results[0].status, MUSTER_OK);
}

TEST_F(NcclIdsOf, NoGpuIsAskedForWithIdsOnly) {
  cuda.init_result = cuda_no_device;
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
              "found); look at NCCL_SOCKET_IFNAME, or set NCCL_DEBUG=WARN to see more");
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

TEST(NcclFactsToRead, AreFewInALargeStep) {
  IdsRequest request{.roots = {1024, 8}};
  RankInfo place;
  place.size = 1024;
  place.rank = 512;
  const std::vector<int> local{512, 513, 514, 515, 516, 517, 518, 519};
  EXPECT_EQ(facts_to_read(request, place, local),
            (std::vector<int>{0, 128, 256, 384, 511, 512, 513, 514, 515, 516, 517, 518, 519, 640,
                              768, 896}));
  request.look_at_gpus = false;
  EXPECT_EQ(facts_to_read(request, place, local),
            (std::vector<int>{0, 128, 256, 384, 511, 512, 640, 768, 896}));
}

TEST(NcclFactsToRead, AreAllInASmallStepUnlessGpusDoNotMatter) {
  IdsRequest request{.roots = {16, 1}};
  RankInfo place;
  place.size = 16;
  place.rank = 5;
  EXPECT_EQ(facts_to_read(request, place, {}).size(), 16u);
  request.look_at_gpus = false;
  EXPECT_EQ(facts_to_read(request, place, {}), (std::vector<int>{0, 4, 5}));
}

}  // namespace
}  // namespace muster::worker
