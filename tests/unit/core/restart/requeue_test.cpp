#include "core/restart/requeue.hpp"

#include "core/report/report.hpp"
#include "unit/core/report/made_up_step.hpp"

#include <csignal>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::restart {
namespace {

using report::Cause;
using report::Result;
using namespace std::chrono_literals;

const RequeueRules two{.requeue = 2};
const slurm::Job running{.state = "RUNNING"};
const slurm::Job preempted{.state = "COMPLETING", .preempted = true};
const slurm::Job timed_out{.state = "COMPLETING", .timed_out = true};

report::Report report_with(Result result, Cause cause, std::int32_t code = 1) {
  auto record = report::made_up_step(2, 1);
  record.srun_wait_status = report::exited(code);
  report::add_end(record, 1, report::exited(code), report::at(61s));
  auto report = make_report(record, {});
  report.result = result;
  report.cause = cause;
  return report;
}

const report::Report failed = report_with(Result::failed, Cause::node);
const report::Report cancelled = report_with(Result::cancelled, Cause::user);

report::Report success() {
  return make_report(report::made_up_step(2, 1), {});
}

TEST(Requeue, IsNothingThatComesUnasked) {
  EXPECT_EQ(decide_requeue({}, {.too_few_nodes = true}, failed, running), RequeueDecision{});
  EXPECT_EQ(decide_requeue({}, {.stopped = true}, cancelled, preempted), RequeueDecision{});
}

TEST(Requeue, FollowsWhereTheAllocationCannotGoOn) {
  EXPECT_EQ(decide_requeue(two, {.too_few_nodes = true}, failed, running),
            (RequeueDecision{true, false, "too few nodes are left"}));
  EXPECT_EQ(decide_requeue(two, {.stopped = true}, cancelled, running),
            (RequeueDecision{true, false, "the time limit is near"}));
  EXPECT_EQ(decide_requeue(two, {.signalled = true}, cancelled, running),
            (RequeueDecision{true, false, "a signal to the job"}));
  EXPECT_EQ(decide_requeue(two, {}, report_with(Result::preempted, Cause::preemption), preempted),
            (RequeueDecision{true, false, "preemption"}));
  EXPECT_EQ(decide_requeue(two, {}, report_with(Result::timeout, Cause::time_limit),
                           {.state = "COMPLETING"}),
            (RequeueDecision{true, false, "the time limit"}));
}

TEST(Requeue, FollowsWhateverExitCodeTheProgramHasAfterTheWordToEnd) {
  EXPECT_TRUE(decide_requeue(two, {.stopped = true}, success(), running).requeue);
  EXPECT_TRUE(decide_requeue(two, {.signalled = true}, success(), running).requeue);
  EXPECT_EQ(decide_requeue(two, {}, success(), {.state = "RUNNING", .preempted = true}),
            (RequeueDecision{true, false, "preemption"}));
  EXPECT_EQ(decide_requeue(two, {}, success(), timed_out),
            (RequeueDecision{true, false, "the time limit"}));
}

TEST(Requeue, DoesNotFollowSuccessNorAFailureThatRestartsAreFor) {
  EXPECT_EQ(decide_requeue(two, {}, success(), running), RequeueDecision{});
  EXPECT_EQ(decide_requeue(two, {}, success(), {.state = "COMPLETING"}), RequeueDecision{});
  EXPECT_EQ(decide_requeue(two, {}, failed, running), RequeueDecision{});
}

TEST(Requeue, DoesNotFollowTheUsersCancelOrSlurmsSilence) {
  for (const std::string state : {"CANCELLED", "COMPLETING", "COMPLETED", "FAILED", ""}) {
    const AllocationEnd all{.too_few_nodes = true, .stopped = true, .signalled = true};
    EXPECT_EQ(decide_requeue(two, all, cancelled, {.state = state}), RequeueDecision{}) << state;
  }
}

TEST(Requeue, DoesNotFollowACodeThatForbidsRestarts) {
  const auto forbids = report_with(Result::failed, Cause::program, 93);
  EXPECT_EQ(decide_requeue(two, {.stopped = true}, forbids, running), RequeueDecision{});
  const RequeueRules other{.requeue = 2, .norestart = {4}};
  EXPECT_TRUE(decide_requeue(other, {.stopped = true}, forbids, running).requeue);
}

TEST(Requeue, LeavesItToSlurmWhereSlurmDoesIt) {
  const RequeueRules later{.requeue = 2, .requeues_before = 1};
  EXPECT_EQ(decide_requeue(later, {}, cancelled, {.state = "COMPLETING", .requeues = 2}),
            (RequeueDecision{false, true, "Slurm requeues the job"}));
  EXPECT_TRUE(
      decide_requeue(later, {.stopped = true}, cancelled, {.state = "RUNNING", .requeues = 1})
          .requeue);
}

TEST(Requeue, EndsWhenTheRequeuesAreUsedUp) {
  for (std::uint32_t before = 0; before < 6; ++before) {
    const RequeueRules rules{.requeue = 3, .requeues_before = before};
    const auto decision = decide_requeue(rules, {.stopped = true}, cancelled,
                                         {.state = "RUNNING", .requeues = before});
    EXPECT_EQ(decision.requeue, before < 3) << before;
    if (before == 3) {
      EXPECT_EQ(decision.why, "the time limit is near, but requeue=3 is used up");
    }
  }
}

report::Record ended_by(int signal, std::size_t ranks) {
  auto record = report::made_up_step(2, 1);
  record.srun_wait_status = report::exited(128 + signal);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    report::add_end(record, rank, report::signalled(signal), report::at(61s));
  }
  return record;
}

bool is_signalled(const report::Record& record) {
  return was_signalled(record, make_report(record, {}));
}

TEST(WasSignalled, ByASigtermToTheSupervisorWhateverTheRanksDid) {
  auto record = report::made_up_step(2, 1);
  EXPECT_FALSE(is_signalled(record));
  record.signals = {{SIGTERM, report::at(60s)}};
  EXPECT_TRUE(is_signalled(record));
}

TEST(WasSignalled, ByAUserSignalThatEndsAllRanks) {
  EXPECT_TRUE(is_signalled(ended_by(SIGUSR1, 2)));
  EXPECT_TRUE(is_signalled(ended_by(SIGUSR2, 2)));
  auto by_srun = ended_by(SIGUSR1, 1);
  by_srun.signals = {{SIGUSR1, report::at(60s)}};
  EXPECT_TRUE(is_signalled(by_srun));
}

TEST(WasSignalled, NotByACancelNorByASignalToOneRankNorByOneThatTheProgramHandles) {
  EXPECT_FALSE(is_signalled(ended_by(SIGKILL, 2)));
  EXPECT_FALSE(is_signalled(ended_by(SIGUSR1, 1)));
  auto handled = report::made_up_step(2, 1);
  handled.signals = {{SIGUSR1, report::at(60s)}};
  EXPECT_FALSE(is_signalled(handled));
}

TEST(KeepsState, WhereTheJobMayComeBack) {
  const auto kept = [](const RequeueDecision& decision, const report::Report& last,
                       const std::string& state) {
    return keeps_state(decision, last, {.state = state});
  };
  const RequeueDecision by_slurm{.slurm_does = true, .why = {}};
  EXPECT_TRUE(kept({}, failed, "COMPLETING"));
  EXPECT_TRUE(kept({}, failed, ""));  // slurmctld does not answer
  EXPECT_TRUE(kept(by_slurm, failed, "RUNNING"));
  EXPECT_TRUE(kept(by_slurm, success(), "RUNNING"));
  EXPECT_FALSE(kept({}, failed, "RUNNING"));
  EXPECT_FALSE(kept({}, success(), "COMPLETING"));
  EXPECT_FALSE(kept({}, cancelled, "COMPLETING"));
  EXPECT_FALSE(kept(by_slurm, cancelled, "RUNNING"));
}

}  // namespace
}  // namespace muster::restart
