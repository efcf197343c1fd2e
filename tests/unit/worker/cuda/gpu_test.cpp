#include "worker/cuda/gpu.hpp"

#include "cuda_double.hpp"
#include "worker/cuda/current_gpu.hpp"
#include "worker/error.hpp"

#include <gtest/gtest.h>

namespace muster::worker::cuda {
namespace {

TEST(Gpu, IsTheOneThatIsAskedFor) {
  const CudaDouble cuda;
  const auto gpu = look_at_gpu(cuda.open(), 5, 2);
  EXPECT_EQ(gpu.state, Gpu::State::found);
  EXPECT_EQ(gpu.device, 5);
  EXPECT_EQ(gpu.count, 8);
  EXPECT_EQ(gpu.bus_id, "0000:46:00.0");
  EXPECT_EQ(gpu.uuid[0], 6);
  EXPECT_EQ(gpu.driver_version, 12080);
}

TEST(Gpu, IsTheThreadsCurrentOneElse) {
  const CudaDouble cuda;
  CudaDouble::set_current(3);
  EXPECT_EQ(look_at_gpu(cuda.open(), -1, 2).device, 3);
}

TEST(Gpu, IsTheOneOfTheLocalRankElse) {
  const CudaDouble cuda{4};
  EXPECT_EQ(look_at_gpu(cuda.open(), -1, 2).device, 2);
  EXPECT_EQ(look_at_gpu(cuda.open(), -1, 6).device, 2);
  EXPECT_EQ(look_at_gpu(cuda.open(), -1, -1).device, 0) << "a local rank that is not known";
}

TEST(Gpu, IsLookedAtWithoutAContext) {
  const CudaDouble cuda;
  look_at_gpu(cuda.open(), 1, 0);
  EXPECT_EQ(CudaDouble::current(), -1);
  EXPECT_EQ(cuda.retained(), 0);
}

TEST(Gpu, IsMissingWithoutAnError) {
  CudaDouble cuda;
  EXPECT_EQ(look_at_gpu({std::nullopt, "no libcuda"}, -1, 0).state, Gpu::State::no_driver);
  EXPECT_EQ(look_at_gpu({std::nullopt, "no libcuda"}, -1, 0).why, "no libcuda");
  cuda.init_result = cuda_no_device;
  EXPECT_EQ(look_at_gpu(cuda.open(), -1, 0).state, Gpu::State::no_device);
  cuda.init_result = 999;
  EXPECT_EQ(look_at_gpu(cuda.open(), -1, 0).state, Gpu::State::failed);
  EXPECT_EQ(look_at_gpu(cuda.open(), -1, 0).why, "the double's error");
  cuda.init_result = cuda_success;
  EXPECT_EQ(look_at_gpu(cuda.open(), 8, 0).state, Gpu::State::no_such_index);
  cuda.bus_ids.clear();
  EXPECT_EQ(look_at_gpu(cuda.open(), -1, 0).state, Gpu::State::no_device);
}

TEST(CurrentGpu, StaysWhenTheThreadHadNone) {
  const CudaDouble cuda;
  const auto opened = cuda.open();
  {
    CurrentGpu gpu{*opened.api, 2};
    EXPECT_EQ(CudaDouble::current(), 2);
    gpu.keep();
  }
  EXPECT_EQ(CudaDouble::current(), 2);
  EXPECT_EQ(cuda.retained(), 1);
}

TEST(CurrentGpu, GivesBackWhatTheThreadHad) {
  const CudaDouble cuda;
  const auto opened = cuda.open();
  CudaDouble::set_current(5);
  {
    CurrentGpu gpu{*opened.api, 2};
    EXPECT_EQ(CudaDouble::current(), 2);
    gpu.keep();
  }
  EXPECT_EQ(CudaDouble::current(), 5);
  EXPECT_EQ(cuda.retained(), 1) << "the communicator's context stays";
}

TEST(CurrentGpu, LeavesTheThreadsOwnAlone) {
  const CudaDouble cuda;
  const auto opened = cuda.open();
  CudaDouble::set_current(2);
  { const CurrentGpu gpu{*opened.api, 2}; }
  EXPECT_EQ(CudaDouble::current(), 2);
  EXPECT_EQ(cuda.retained(), 0);
}

TEST(CurrentGpu, LeavesNothingAfterAFailure) {
  CudaDouble cuda;
  const auto opened = cuda.open();
  { const CurrentGpu gpu{*opened.api, 2}; }
  EXPECT_EQ(CudaDouble::current(), -1);
  EXPECT_EQ(cuda.retained(), 0);
  cuda.retain_result = 2;
  EXPECT_THROW(CurrentGpu(*opened.api, 2), Error);
  EXPECT_EQ(CudaDouble::current(), -1);
}

}  // namespace
}  // namespace muster::worker::cuda
