#include "core/report/peer_loss.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::report {
namespace {

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

// torch's issue 126544, without the frames.
const std::vector<std::string> cuda_error_at_abort{
    "[rank2]:[E515 21:28:59 ProcessGroupNCCL.cpp:1414] [PG 0 Rank 2] Process group watchdog "
    "thread terminated with exception: CUDA error: an illegal memory access was encountered",
    "terminate called after throwing an instance of 'c10::DistBackendError'",
    "  what():  [PG 0 Rank 2] Process group watchdog thread terminated with exception: CUDA "
    "error: an illegal memory access was encountered",
    "CUDA kernel errors might be asynchronously reported at some other API call, so the "
    "stacktrace below might be incorrect."};

// Megatron-LM's issue 935.
const std::vector<std::string> timeout_at_abort{
    "terminate called after throwing an instance of 'c10::DistBackendError'",
    "  what():  [PG 1 Rank 7] Process group watchdog thread terminated with exception: [Rank 7] "
    "Watchdog caught collective operation timeout: WorkNCCL(SeqNum=199, "
    "OpType=_REDUCE_SCATTER_BASE, Timeout(ms)=600000) ran for 882725 milliseconds before timing "
    "out."};

TEST(LostPeer, IsNotWhatARankSaysThatItsOwnGpuAborted) {
  const auto end = end_with(cuda_error_at_abort);
  EXPECT_FALSE(lost_peer(end));
  EXPECT_TRUE(says_why(end));
  const auto numbered = end_with({cuda_error_at_abort.front()});
  EXPECT_TRUE(says_why(numbered));
}

TEST(LostPeer, IsSeenInATimeoutOfTheWatchdog) {
  const auto end = end_with(timeout_at_abort);
  EXPECT_TRUE(lost_peer(end));
  EXPECT_FALSE(says_why(end));
}

// Without frames among them, the last lines reach back to exceptions that the program has survived.
TEST(LostPeer, IsSeenInTheAbortAndNotInAnExceptionBeforeIt) {
  auto lines = timeout_at_abort;
  lines.insert(lines.begin(), "ValueError: a sample was skipped");
  EXPECT_TRUE(lost_peer(end_with(lines)));
  EXPECT_EQ(named_exception(end_with(lines)), "");
}

// The program may have survived what it logs.
TEST(SaysWhy, IsNotTrueOfALogLineThatNamesATroubleOfItsOwn) {
  const auto end = end_with({"retrying after DistNetworkError: address already in use"});
  EXPECT_FALSE(says_why(end));
  EXPECT_FALSE(lost_peer(end));
}

// LlamaFactory's issue 7233: the reason is in NCCL's message, two lines below the exception.
TEST(SaysWhy, ReadsNcclsLastError) {
  const std::string full =
      "[rank1]: Error while creating shared memory segment /dev/shm/nccl-LeXlEJ (size 9637888)";
  const std::string gone = "[rank1]: socketProgress: Connection closed by remote peer node2<55693>";
  for (const auto& last : {full, gone}) {
    const auto end = end_with(
        {"[rank1]: torch.distributed.DistBackendError: NCCL error in: NCCLUtils.hpp:268, unhandled "
         "system error",
         "[rank1]: ncclSystemError: System call (e.g. socket, malloc) or external library call "
         "failed or device error. ",
         "[rank1]: Last error:", last});
    EXPECT_EQ(says_why(end), last == full) << last;
    EXPECT_EQ(lost_peer(end), last == gone) << last;
  }
}

TEST(LostPeer, IsNotAServiceThatDoesNotAnswer) {
  RankEnd end;
  end.exception = Exception{
      "BrokenPipeError: [Errno 32] Broken pipe",
      "Traceback (most recent call last):\n  File \"train.py\", line 7, in <module>\n"
      "  File \"/v/lib/python3.8/site-packages/wandb/sdk/lib/sock_client.py\", line 130\n",
      {}};
  EXPECT_FALSE(lost_peer(end));
  EXPECT_TRUE(says_why(end));
  end.exception->traceback.clear();
  EXPECT_TRUE(lost_peer(end));
}

TEST(LostPeer, IsNotAServiceThatDoesNotAnswerInTheLastLinesEither) {
  const std::string frame =
      "[rank3]:   File \"/v/lib/python3.12/site-packages/wandb/sdk/lib/sock_client.py\", line 130, in send";
  const std::string error = "[rank3]: BrokenPipeError: [Errno 32] Broken pipe";
  EXPECT_FALSE(lost_peer(end_with({frame, error})));
  EXPECT_TRUE(lost_peer(end_with({error})));
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
