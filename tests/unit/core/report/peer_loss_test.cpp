#include "core/report/peer_loss.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::report {
namespace {

TEST(BlamesPeer, KnowsTheWordsOfEachLibrary) {
  for (
      const std::string text :
      {"RuntimeError: [../third_party/gloo/gloo/transport/tcp/pair.cc:534] Connection closed by peer",
       "RuntimeError: [pair.cc:446] Read error [10.0.0.1]:1234: Connection reset by peer",
       "RuntimeError: Application timeout caused pair closure",
       "DistBackendError: NCCL error in: ProcessGroupNCCL.cpp:1, remote process exited or there "
       "was a network error, ncclRemoteError",
       "DistBackendError: [Rank 3] Watchdog caught collective operation timeout: WorkNCCL(",
       "DistNetworkError: Connection was likely closed. Did the remote server shutdown or crash?",
       "DistStoreError: wait timeout after 300000ms, keys: /x", "BrokenPipeError: Broken pipe",
       "PeerError: exchange 'x': rank 3 has gone", "MusterPeerError: rank 3 has gone",
       "PMIX_ERR_LOST_CONNECTION"}) {
    EXPECT_TRUE(blames_peer(text)) << text;
  }
}

TEST(BlamesPeer, LeavesARankItsOwnMistakes) {
  for (const std::string text :
       {"RuntimeError: boom", "", "KeyError: 'peer'",
        "DistBackendError: NCCL error: ncclInvalidUsage: Duplicate GPU detected",
        "DistBackendError: NCCL error: ncclUnhandledCudaError: out of memory",
        "RuntimeError: DataLoader worker (pid 12) is killed by signal: Killed."}) {
    EXPECT_FALSE(blames_peer(text)) << text;
  }
}

RankEnd end_with(std::vector<std::string> lines) {
  RankEnd end;
  end.last_lines = std::move(lines);
  return end;
}

TEST(LostPeer, IsSeenInTheLastLinesWhereThereIsNoException) {
  EXPECT_TRUE(
      lost_peer(end_with({"    work.wait()", "RuntimeError: Connection closed by peer", ""})));
  EXPECT_TRUE(
      lost_peer(end_with({"terminate called after throwing an instance of 'gloo::IoException'",
                          "  what():  Connection closed by peer"})));
  EXPECT_FALSE(lost_peer(end_with({"RuntimeError: boom"})));
  EXPECT_FALSE(lost_peer(end_with({})));
}

// Newer torch puts the rank at the beginning of each line.
TEST(LostPeer, ReadsLinesThatBeginWithTheRank) {
  EXPECT_TRUE(lost_peer(end_with({"[rank3]: RuntimeError: Connection closed by peer"})));
  EXPECT_TRUE(says_why(end_with({"[rank3]: Traceback", "[rank3]: KeyError: 'x'"})));
}

TEST(NamedException, IsTheLastOfTheRanksOwnLinesWithoutItsRank) {
  auto end = end_with({"ValueError: first", "[rank3]: KeyError: 'x'", "[rank3]: (cleaning up)"});
  EXPECT_EQ(named_exception(end), "KeyError: 'x'");
  end.last_lines_shared = true;
  EXPECT_EQ(named_exception(end), "");
  EXPECT_EQ(named_exception(end_with({"no exception: here"})), "");
}

TEST(LostPeer, LearnsNothingFromLinesThatMayBeAnotherRanks) {
  for (const auto* const line : {"RuntimeError: Connection closed by peer", "KeyError: 'x'"}) {
    auto end = end_with({line});
    end.last_lines_shared = true;
    EXPECT_FALSE(lost_peer(end) || says_why(end)) << line;
  }
}

// An exception raised while another one is being handled is not the one that the process ended with.
TEST(LostPeer, BelievesTheLastExceptionOfTheLines) {
  EXPECT_FALSE(lost_peer(end_with({"ConnectionResetError: Connection reset by peer",
                                   "During handling of the above exception, another occurred:",
                                   "ValueError: no such batch", "[W] cleaning up: broken pipe"})));
}

TEST(LostPeer, BelievesTheExceptionMoreThanTheLines) {
  RankEnd end = end_with({"RuntimeError: Connection closed by peer"});
  end.exception = Exception{"RuntimeError: boom", "", {}};
  EXPECT_FALSE(lost_peer(end));
}

}  // namespace
}  // namespace muster::report
