#include "launcher/supervisor/attempts/requeue.hpp"

#include "core/error.hpp"
#include "core/request/request.hpp"

#include <string>

#include <gtest/gtest.h>

namespace muster::attempts {
namespace {

std::string refusal(const srun::Command& command, const Environment& environment) {
  request::Request request;
  request.requeue = 2;
  try {
    refuse_requeue_outside_jobs(request, command, environment);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(Requeue, IsRefusedForAJobThatDoesNotContainTheLine) {
  const srun::Command joins{{"srun", "--jobid=4711", "./train"}, 2};
  const auto* const why =
      "requeue=2: job 4711 (--jobid) does not contain this srun, so a requeue would not start this "
      "srun again; leave out requeue=";
  EXPECT_EQ(refusal(joins, {{"SLURM_JOB_ID", "4700"}}), why);
  EXPECT_EQ(refusal(joins, {}), why);
  EXPECT_EQ(refusal(joins, {{"SLURM_JOB_ID", "4711"}}), "");
}

TEST(Requeue, IsRefusedAtAPrompt) {
  EXPECT_NE(refusal({{"srun", "./train"}, 1}, {}).find("this is not a batch job"),
            std::string::npos);
}

}  // namespace
}  // namespace muster::attempts
