#include "launcher/supervisor/attempts/own_allocation.hpp"

#include <gtest/gtest.h>

namespace muster::attempts {
namespace {

const srun::Command training{{"srun", "-N2", "./train"}, 2};

request::Request with_restarts() {
  request::Request request;
  request.restarts = 1;
  return request;
}

TEST(NeedsAllocation, AtAPromptWhereAStepMayBeFollowedByAnother) {
  EXPECT_TRUE(needs_allocation(with_restarts(), training, {}));
  request::Request spares;
  spares.spares = 1;
  EXPECT_TRUE(needs_allocation(spares, training, {}));
}

TEST(NeedsAllocation, NotWithoutRestarts) {
  EXPECT_FALSE(needs_allocation({}, training, {}));
}

TEST(NeedsAllocation, NotWithinAJob) {
  EXPECT_FALSE(needs_allocation(with_restarts(), training, {{"SLURM_JOB_ID", "7"}}));
  EXPECT_FALSE(needs_allocation(with_restarts(), {{"srun", "--jobid=7", "./train"}, 2}, {}));
}

TEST(NeedsAllocation, NotForADryRun) {
  auto request = with_restarts();
  request.dry_run = true;
  EXPECT_FALSE(needs_allocation(request, training, {}));
}

}  // namespace
}  // namespace muster::attempts
