#include "core/report/summary.hpp"
#include "made_up_step.hpp"

#include <gtest/gtest.h>

namespace muster::report {
namespace {

TEST(Summary, NamesTheFirstFailure) {
  Record record = made_up_step(2, 4);
  record.srun_wait_status = exited(143);
  add_exception(record, 5, "RuntimeError: boom\nin detail", at(12s));
  EXPECT_EQ(summary(make_report(record, {})), "rank 5 on node2 failed first: RuntimeError: boom");
}

}  // namespace
}  // namespace muster::report
