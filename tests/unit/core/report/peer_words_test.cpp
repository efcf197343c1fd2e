#include "core/report/peer_words.hpp"

#include <string>

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
       "PMIX_ERR_LOST_CONNECTION",
       "[Rank 0] NCCL watchdog thread terminated with exception: NCCL error: remote process exited"}) {
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

// With the words of a lost peer around them, as torch and NCCL write them (the numbers are those of public
// issues).
TEST(BlamesPeer, LeavesARankTheTroubleOfItsOwnGpuNodeAndPort) {
  const std::string watchdog =
      "[PG 0 Rank 2] Process group watchdog thread terminated with exception: ";
  const std::string nccl =
      "DistBackendError: NCCL error in: ProcessGroupNCCL.cpp:1970, unhandled system error, NCCL "
      "version 2.20.5\n"
      "ncclSystemError: System call (e.g. socket, malloc) or external library call failed or device error. \n"
      "Last error:\n";
  for (
      const std::string& text :
      {// torch 126544, 113128
       watchdog + "CUDA error: an illegal memory access was encountered",
       watchdog + "CUDA error: uncorrectable ECC error encountered",
       watchdog + "HIP error: out of memory",
       // LlamaFactory 7233, vllm 14537, fms-fsdp 94
       nccl + "Error while creating shared memory segment /dev/shm/nccl-LeXlEJ (size 9637888)",
       nccl +
           "Error: failed to extend /dev/shm/nccl-WU88OE to 9637892 bytes, error: No space left on "
           "device (28)",
       nccl + "Call to ibv_create_cq failed with error Cannot allocate memory",
       nccl + "Call to ibv_reg_mr failed", nccl + "Cuda failure 'out of memory'",
       // vllm 39015
       std::string(
           "DistNetworkError: The server socket has failed to listen on any local network address. port: "
           "29500, useIpv6: false, code: -98, name: EADDRINUSE, message: address already in use")}) {
    EXPECT_EQ(blame_in(text), Blame::self) << text;
  }
}

TEST(BlamesPeer, DoesNotTakeForARanksOwnWhatAVictimAlsoSays) {
  const std::string watchdog =
      "[PG 0 Rank 2] Process group watchdog thread terminated with exception: ";
  const std::string nccl = "DistBackendError: NCCL error, ncclSystemError: \nLast error:\n";
  for (
      const std::string& text :
      {watchdog + "CUDA error: driver shutting down",
       watchdog + "CUDA error: the launch timed out and was terminated",
       watchdog + "CUDA error: uncorrectable NVLink error detected during the execution",
       nccl +
           "Error while attaching to shared memory segment /dev/shm/nccl-x (size 0), error: No such file",
       nccl + "Call to ibv_modify_qp failed with error Connection timed out",
       nccl + "socketProgress: Connection closed by remote peer node2<55693>",
       std::string(
           "DistBackendError: remote process exited or there was a network error, ncclRemoteError\n"
           "Last error:\nCuda failure 'unknown error'")}) {
    EXPECT_EQ(blame_in(text), Blame::peer) << text;
  }
}

}  // namespace
}  // namespace muster::report
