#include "core/restart/start_error.hpp"

#include "unit/core/report/made_up_step.hpp"

#include <csignal>
#include <string>

#include <gtest/gtest.h>

namespace muster::restart {
namespace {

using report::at;
using report::exited;

// The end of rank 2 on node2, in a step whose ranks start at 1 s.
report::RankEnd import_error(report::Moment raised) {
  auto record = report::made_up_step(2, 2);
  return add_exception(record, 2, "ImportError: x", raised);
}

report::RankEnd ended(std::int32_t wait_status) {
  auto record = report::made_up_step(2, 2);
  return add_end(record, 2, wait_status, at(2s));
}

TEST(StartError, IsRecognisedByItsFirstLineOrItsExitCode) {
  auto end = import_error(at(2s));
  end.exception->message += "\nmore";
  EXPECT_EQ(start_error(end), "ImportError: x");
  EXPECT_EQ(start_error(ended(exited(127))), "exit code 127");
  auto wrong_arguments = ended(exited(2));
  wrong_arguments.last_lines = {"rank 2: error: no such option"};
  EXPECT_EQ(start_error(wrong_arguments), "exit code 2");
}

TEST(StartError, IsNoLongerThanAnAttemptsHistoryMayKeep) {
  auto end = import_error(at(2s));
  end.exception->message += std::string(4000, 'x');
  EXPECT_EQ(start_error(end).size(), 200U);
}

TEST(SecondNode, HasASecondToShowTheSameStartUpError) {
  const auto nodes = report::made_up_step(2, 2).nodes;
  EXPECT_EQ(time_for_second_node(import_error(at(2s)), nodes), 1s);
  EXPECT_EQ(time_for_second_node(ended(exited(127)), nodes), 1s);
}

TEST(SecondNode, HasNoTimeAfterAnyOtherFailure) {
  const auto nodes = report::made_up_step(2, 2).nodes;
  for (const auto status : {exited(1), exited(2), exited(7), SIGSEGV}) {
    EXPECT_EQ(time_for_second_node(ended(status), nodes), 0s) << status;
  }
}

TEST(SecondNode, HasNoTimeLongAfterTheStartOrWhereThereIsNone) {
  const auto nodes = report::made_up_step(2, 2).nodes;
  EXPECT_EQ(time_for_second_node(import_error(at(11s)), nodes), 1s);
  EXPECT_EQ(time_for_second_node(import_error(at(11001ms)), nodes), 0s);
  EXPECT_EQ(time_for_second_node(import_error(at(2s)), report::made_up_step(1, 4).nodes), 0s);
}

}  // namespace
}  // namespace muster::restart
