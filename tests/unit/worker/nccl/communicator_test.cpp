#include "worker/nccl/communicator.hpp"

#include "nccl_double.hpp"
#include "worker/error.hpp"

#include <array>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::worker::nccl {
namespace {

using std::chrono::milliseconds;
using ::testing::ContainsRegex;

struct Failure {
  muster_status status = MUSTER_OK;
  std::string text;
};

template <class Work>
Failure failure(Work&& work) {
  try {
    work();
  } catch (const Error& error) {
    return {error.status(), error.what()};
  }
  return {};
}

NcclUniqueId id(char mark) {
  NcclUniqueId id{};
  id.internal[0] = mark;
  return id;
}

Communicator alone(const NcclApi& nccl, const Deadline& deadline = Deadline{milliseconds{5000}}) {
  std::array ids{id('a')};
  return make_communicator(nccl, {0, 1, "rank 0 on node1"}, ids, {}, deadline);
}

TEST(NcclCommunicator, IsReadyOnEveryRankWhenAllHaveCome) {
  const NcclDouble nccl;
  const auto api = nccl.api();
  {
    std::vector<std::jthread> ranks;
    for (int rank = 0; rank < 5; ++rank) {
      ranks.emplace_back([&, rank] {
        std::array ids{id('a'), id('b')};
        auto comm =
            make_communicator(api, {rank, 5, "a rank"}, ids, {}, Deadline{milliseconds{9000}});
        destroy_communicator(api, comm.release(), "a rank", Deadline{milliseconds{9000}});
      });
    }
  }
  EXPECT_EQ(nccl.alive(), 0);
  EXPECT_EQ(nccl.aborted(), 0);
  EXPECT_EQ(nccl.finalized(), 5);
  EXPECT_EQ(nccl.roots_of_init(), (std::vector<int>(5, 2)));
}

TEST(NcclCommunicator, IsMadeWithOneRootByAnOlderNccl) {
  const NcclDouble nccl{nccl_version(18, 1)};
  alone(nccl.api());
  EXPECT_EQ(nccl.roots_of_init(), std::vector<int>{1});
  std::array ids{id('a'), id('b')};
  const auto failed = failure([&] {
    make_communicator(nccl.api(), {0, 2, "rank 0 on node1"}, ids, {}, Deadline{milliseconds{5000}});
  });
  EXPECT_EQ(failed.status, MUSTER_ERR_ARGUMENT);
  EXPECT_EQ(failed.text,
            "2 NCCL roots need NCCL 2.23, and rank 0 on node1 has 2.18.1: set roots to 1, or use a "
            "newer NCCL");
}

TEST(NcclCommunicator, EndsByTheDeadlineWhenARankNeverComes) {
  const NcclDouble nccl;
  const auto start = Deadline::Clock::now();
  std::array ids{id('a')};
  const auto failed = failure([&] {
    make_communicator(nccl.api(), {1, 4, "rank 1 on node2"}, ids, {}, Deadline{milliseconds{200}});
  });
  EXPECT_LT(Deadline::Clock::now() - start, milliseconds{10'000}) << "on a busy machine";
  EXPECT_EQ(failed.status, MUSTER_ERR_TIMEOUT);
  EXPECT_THAT(failed.text, ContainsRegex("^NCCL's init of 4 ranks has not finished on rank 1 on "
                                         "node2 after [0-9.]+ s: a rank is missing"));
  EXPECT_EQ(nccl.alive(), 0);
  EXPECT_EQ(nccl.aborted(), 1);
}

TEST(NcclCommunicator, IsAbortedWhenNcclFailsMeanwhile) {
  NcclDouble nccl;
  nccl.init_fails[0] = nccl_remote_error;
  nccl.last_error = "socketProgress: Connection closed by remote peer";
  const auto failed = failure([&] { alone(nccl.api()); });
  EXPECT_EQ(failed.status, MUSTER_ERR_NCCL);
  EXPECT_NE(failed.text.find("remote process exited or there was a network error; NCCL's last "
                             "error: socketProgress: Connection closed by remote peer"),
            std::string::npos)
      << failed.text;
  EXPECT_EQ(nccl.alive(), 0);
  EXPECT_EQ(nccl.aborted(), 1);
}

TEST(NcclCommunicator, IsNoneWhenNcclRefusesAtOnce) {
  NcclDouble nccl;
  nccl.init_result = 1;
  EXPECT_EQ(failure([&] { alone(nccl.api()); }).status, MUSTER_ERR_NCCL);
  EXPECT_EQ(nccl.alive(), 0);
  EXPECT_EQ(nccl.aborted(), 0);
}

TEST(NcclCommunicator, IsSplitOnceItsChildIsThere) {
  const NcclDouble nccl;
  const auto api = nccl.api();
  auto parent = alone(api);
  auto child =
      split_communicator(api, parent.get(), 3, 0, nullptr, "rank 0", Deadline{milliseconds{5000}});
  EXPECT_NE(child.get(), nullptr);
  EXPECT_EQ(nccl.alive(), 2);
  const auto none = split_communicator(api, parent.get(), nccl_no_colour, 0, nullptr, "rank 0",
                                       Deadline{milliseconds{5000}});
  EXPECT_EQ(none.get(), nullptr);
  EXPECT_EQ(nccl.alive(), 2);
}

TEST(NcclCommunicator, KeepsThePlaceOfAChildThatMayComeAfterTheDeadline) {
  NcclDouble nccl;
  const auto api = nccl.api();
  auto parent = alone(api);
  nccl.split_never_ready = true;
  const auto failed = failure([&] {
    split_communicator(api, parent.get(), 0, 0, nullptr, "rank 0", Deadline{milliseconds{50}});
  });
  EXPECT_EQ(failed.status, MUSTER_ERR_TIMEOUT);
  EXPECT_EQ(nccl.alive(), 1) << "the parent is the caller's";
  // As NCCL's thread would; an address sanitizer detects a location that has been freed.
  nccl.split_never_ready = false;
  NcclResult state = nccl_in_progress;
  for (int look = 0; look < 5; ++look) api.get_async_error(parent.get(), &state);
  EXPECT_EQ(state, nccl_success);
  EXPECT_EQ(nccl.alive(), 2);
}

TEST(NcclCommunicator, FailsToSplitWithNcclsReasonAndNoChild) {
  NcclDouble nccl;
  const auto api = nccl.api();
  auto parent = alone(api);
  nccl.split_fails = nccl_remote_error;
  const auto split = [&] {
    split_communicator(api, parent.get(), 0, 0, nullptr, "rank 0", Deadline{milliseconds{5000}});
  };
  EXPECT_EQ(failure(split).status, MUSTER_ERR_NCCL);
  nccl.split_result = 4;
  EXPECT_EQ(failure(split).status, MUSTER_ERR_NCCL);
  EXPECT_EQ(nccl.alive(), 1);
}

TEST(NcclCommunicator, IsAbortedWhenItCannotBeEndedInTime) {
  NcclDouble nccl;
  const auto api = nccl.api();
  nccl.finalize_never_ready = true;
  auto comm = alone(api);
  const auto failed = failure(
      [&] { destroy_communicator(api, comm.release(), "rank 0", Deadline{milliseconds{50}}); });
  EXPECT_EQ(failed.status, MUSTER_ERR_TIMEOUT);
  EXPECT_EQ(nccl.alive(), 0);
  EXPECT_EQ(nccl.aborted(), 1);
}

}  // namespace
}  // namespace muster::worker::nccl
