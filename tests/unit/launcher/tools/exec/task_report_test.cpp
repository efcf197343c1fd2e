#include "launcher/tools/exec/task_report.hpp"

#include <gtest/gtest.h>

namespace muster::exec {
namespace {

const TaskReport full{.procid = 5,
                      .local_id = 1,
                      .cpus = {0, 3, 200},
                      .gpus = {{"SLURM_STEP_GPUS", "1"}, {"CUDA_VISIBLE_DEVICES", "0"}},
                      .failure = "no such program"};

TEST(Report, ArrivesAsItWasSent) {
  EXPECT_EQ(decode_report(encode(full)), full);
  EXPECT_EQ(decode_report(encode(TaskReport{})), TaskReport{});
}

TEST(Report, IsRefusedWhenItIsCutShortOrTooLong) {
  const auto bytes = encode(full);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(decode_report(bytes.substr(0, size))) << size;
  }
  EXPECT_FALSE(decode_report(bytes + "x"));
}

TEST(Report, IsRefusedWithMoreCpusThanThereCanBe) {
  auto bytes = encode(TaskReport{});
  const std::uint32_t words = CpuSet::index_limit / 64 + 1;
  bytes.replace(8, 4, reinterpret_cast<const char*>(&words), 4);
  bytes.insert(12, std::string(words * std::size_t{8}, '\1'));
  EXPECT_FALSE(decode_report(bytes));
}

}  // namespace
}  // namespace muster::exec
