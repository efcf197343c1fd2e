// Adds the ranks' numbers on their GPUs, one GPU per rank:
//
//     srun --distributed=none -N2 --ntasks-per-node=4 --gpus-per-node=4 ./nccl_allreduce
//
// libmuster connects the ranks and makes the communicator. Everything after that is plain NCCL, with one
// difference: the communicator is non-blocking, so call wait() after any NCCL call that may return
// ncclInProgress.
#include <cstdio>
#include <stdexcept>

#include <cuda_runtime.h>
#include <muster/muster.hpp>
#include <nccl.h>

namespace {

void check(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error{cudaGetErrorString(error)};
}

void check(ncclResult_t result) {
  if (result != ncclSuccess && result != ncclInProgress) {
    throw std::runtime_error{ncclGetErrorString(result)};
  }
}

float sum_of_ranks(muster::nccl::Communicator& comm, int rank) {
  const auto mine = static_cast<float>(rank);
  float sum = 0;
  float* number = nullptr;
  check(cudaMalloc(&number, sizeof sum));
  check(cudaMemcpy(number, &mine, sizeof mine, cudaMemcpyHostToDevice));
  check(ncclAllReduce(number, number, 1, ncclFloat, ncclSum, comm.get<ncclComm_t>(), nullptr));
  comm.wait();
  check(cudaMemcpy(&sum, number, sizeof sum, cudaMemcpyDeviceToHost));
  check(cudaFree(number));
  return sum;
}

}  // namespace

int main() try {
  muster::Step step;
  auto options = muster::nccl::default_options;
  options.cuda_version = CUDART_VERSION;
  // From here on, the current GPU is the local rank's.
  muster::nccl::Communicator world{step, options};
  auto node = world.split(MUSTER_SPLIT_NODE);
  const float all = sum_of_ranks(world, step.rank());
  const float here = sum_of_ranks(node, step.rank());
  std::printf("rank %d of %d on %s: sum of all ranks %g, of this node's %g\n", step.rank(),
              step.size(), step.node_name().c_str(), static_cast<double>(all),
              static_cast<double>(here));
} catch (const std::exception& error) {
  std::fprintf(stderr, "nccl_allreduce: %s\n", error.what());
  return 1;
}
