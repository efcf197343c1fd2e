#include "launcher/tools/exec/task_report.hpp"

#include "fixtures/random_record.hpp"

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

TEST(Report, ComesBackAsItWasAndNothingElseDoes) {
  fixtures::expect_one_form<TaskReport>();
}

}  // namespace
}  // namespace muster::exec
