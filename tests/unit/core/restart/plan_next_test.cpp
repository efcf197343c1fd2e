#include "core/restart/plan_next.hpp"

#include "past_attempts.hpp"
#include "unit/core/report/made_up_step.hpp"

#include <csignal>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::restart {
namespace {

using Names = std::vector<std::string>;
using enum Fitness;

constexpr std::uint32_t two_nodes = 2;

// Rank 1 on node2 has failed a minute after its start.
EndedAttempt failed_attempt(int code = 1) {
  EndedAttempt attempt;
  attempt.record = report::made_up_step(two_nodes, 1);
  attempt.record.srun_wait_status = report::exited(code);
  if (code != 0) report::add_end(attempt.record, 1, report::exited(code), report::at(61s));
  attempt.report = make_report(attempt.record, {});
  return attempt;
}

// The last node's rank lacks a module.
EndedAttempt attempt_that_cannot_start(std::uint32_t nodes) {
  EndedAttempt attempt;
  attempt.record = report::made_up_step(nodes, 1);
  attempt.record.srun_wait_status = report::exited(1);
  add_exception(attempt.record, nodes - 1, "ModuleNotFoundError: No module named 'x'",
                report::at(2s));
  attempt.report = make_report(attempt.record, {});
  return attempt;
}

// --- after an attempt

struct Situation {
  std::string name;
  std::function<void(Rules&, std::vector<AttemptHistory>&, EndedAttempt&)> change;
  std::variant<Finish, Retry> expected;
};

const std::string rank_1_failed = "attempt 0 failed: rank 1 on node2 failed first: exit code 1";

std::vector<Situation> after_an_attempt() {
  return {
      {"a failure is followed by another attempt at once", [](auto&, auto&, auto&) {},
       Retry{.line = rank_1_failed}},
      {"an attempt that muster stopped is the last",
       [](auto&, auto&, auto& attempt) { attempt.stopped = true; }, Finish{}},
      {"an attempt that was stopped to leave a node is followed by another, which costs no restart",
       [](auto& rules, auto&, auto& attempt) {
         rules.restarts = 0;
         attempt.drained = {"node2"};
       },
       Retry{.line = "attempt 0 was stopped so that the run can leave node2"}},
      {"a program that was asked to stop may have ended well",
       [](auto&, auto&, auto& attempt) {
         attempt = failed_attempt(0);
         attempt.drained = {"node2"};
       },
       Retry{.line = "attempt 0 was stopped so that the run can leave node2"}},
      {"the user's own signal ends an attempt that leaves a node",
       [](auto& rules, auto&, auto& attempt) {
         rules.restarts = 0;
         attempt.drained = {"node2"};
         attempt.record.signals = {{SIGTERM, report::at(60s)}, {SIGINT, report::at(60s)}};
       },
       Finish{}},
      {"an exit code forbids another attempt even then",
       [](auto&, auto&, auto& attempt) {
         attempt = failed_attempt(93);
         attempt.drained = {"node2"};
       },
       Finish{.why = "exit code 93 ends the run (norestart=)"}},
      {"without restarts= the report says it all",
       [](auto& rules, auto&, auto&) { rules.restarts = 0; }, Finish{}},
      {"success is the end", [](auto&, auto&, auto& attempt) { attempt = failed_attempt(0); },
       Finish{}},
      {"a program that cannot start is not started again",
       [](auto&, auto& past, auto& attempt) {
         attempt = attempt_that_cannot_start(1);
         past.back().failed = 2s;
       },
       Finish{.why = "the program cannot start, and would fail again"}},
      {"a program that could not start on one node may start on others",
       [](auto&, auto& past, auto& attempt) {
         attempt = attempt_that_cannot_start(two_nodes);
         past.back().failed = 2s;
       },
       Retry{.line =
                 "attempt 0 failed: rank 1 on node2 failed first: ModuleNotFoundError: No module "
                 "named 'x'"}},
      {"the restarts may be used up",
       [](auto& rules, auto& past, auto&) {
         rules.restarts = 1;
         add_attempt(past, 1h);
       },
       Finish{.why = "the only restart is used up"}},
      {"requeues allow no more failures",
       [](auto& rules, auto& past, auto&) {
         rules = {.restarts = 1, .requeue = 9};
         add_attempt(past, 1h);
       },
       Finish{.why = "the only restart is used up"}},
      {"an exit code may forbid it",
       [](auto&, auto&, auto& attempt) { attempt = failed_attempt(93); },
       Finish{.why = "exit code 93 ends the run (norestart=)"}},
      {"input that cannot be read again forbids it",
       [](auto&, auto&, auto& attempt) { attempt.lost_input = "the program has read a pipe"; },
       Finish{.why = "the program has read a pipe"}},
      {"what forbids it anyway is named before the input",
       [](auto&, auto&, auto& attempt) {
         attempt = failed_attempt(93);
         attempt.lost_input = "the program has read a pipe";
       },
       Finish{.why = "exit code 93 ends the run (norestart=)"}},
      {"attempts that die young are followed by a delay, and nobody is told why",
       [](auto&, auto& past, auto&) {
         past.clear();
         for (int i = 0; i < 3; ++i) add_attempt(past, 1s);
       },
       Retry{.line = "attempt 2 failed: rank 1 on node2 failed first: exit code 1", .delay = 2s}},
  };
}

TEST(PlanNext, DecidesFromTheAttemptThatHasEnded) {
  for (const auto& situation : after_an_attempt()) {
    Rules rules{.restarts = 3};
    std::vector<AttemptHistory> past;
    add_attempt(past, 1h);
    auto attempt = failed_attempt();
    situation.change(rules, past, attempt);
    EXPECT_EQ(plan_next(rules, past, attempt), situation.expected) << situation.name;
  }
}

// --- where the next one runs

Candidate node(const std::string& name, Fitness fitness = fit, std::string why = {}) {
  return {name, fitness, std::move(why)};
}

struct Nodes {
  Rules rules{.restarts = 3, .requeue = 2};
  StepShape shape{.size = {2, 2, 2}, .tasks_per_node = 1};
  Placement before{.nodes = {"node1", "node2"}, .spares = {"node3"}, .tasks_per_node = 1};
  report::Record record = report::made_up_step(two_nodes, 1);
  LookedAt seen{.candidates = {{node("node1"), node("node2"), node("node3")}}};

  // node2 cannot be used.
  void lose_node() { seen.candidates->at(1) = node("node2", unfit, "lost: no heartbeat"); }
  // And no spare is there.
  void lose_node_without_spare() {
    lose_node();
    seen.candidates->pop_back();
  }
};

struct Choosing {
  std::string name;
  std::function<void(Nodes&)> change;
  std::variant<Finish, LookAgain, Start> expected;
};

Start on_same_nodes() {
  return {.line = "restart 1 of 5 starts on the same nodes",
          .nodes = {"node1", "node2"},
          .spares = {"node3"},
          .tasks_per_node = 1};
}

Start with_spare() {
  return {
      .line = "restart 1 of 5 starts on 2 nodes, without node2 (lost: no heartbeat), with node3",
      .nodes = {"node1", "node3"},
      .spares = {},
      .tasks_per_node = 1,
      .on_other_nodes = true};
}

const std::string too_few_of_two =
    "the run needs 2 nodes, but can use only 1 of the job's 2 (node2: lost: no heartbeat); "
    "spares=N keeps "
    "nodes in reserve, nodes=MIN:MAX continues with fewer";

std::vector<Choosing> after_a_look() {
  return {
      {"the same nodes, if they can be used", [](auto&) {}, on_same_nodes()},
      {"requeues of the job count as restarts that there may be",
       [](auto& nodes) { nodes.rules.requeue = 0; },
       [] {
         auto start = on_same_nodes();
         start.line = "restart 1 of 3 starts on the same nodes";
         return start;
       }()},
      {"a spare takes a lost node's place", [](auto& nodes) { nodes.lose_node(); }, with_spare()},
      {"a lost node may come back until the delay is over",
       [](auto& nodes) { nodes.lose_node_without_spare(); }, LookAgain{}},
      {"after the delay nodes are too few, and a requeue may help",
       [](auto& nodes) {
         nodes.lose_node_without_spare();
         nodes.seen.last_look = true;
       },
       Finish{.why = too_few_of_two, .too_few_nodes = true}},
      {"a lost node that manages the job's steps may come back as well",
       [](auto& nodes) {
         nodes.lose_node();
         nodes.seen.lost_manager = "node2";
       },
       LookAgain{}},
      {"without it, no spare helps",
       [](auto& nodes) {
         nodes.lose_node();
         nodes.seen.lost_manager = "node2";
         nodes.seen.last_look = true;
       },
       Finish{.why =
                  "node2, which manages the job's steps (enable_stepmgr), is lost: without it, no "
                  "step can start on the other nodes",
              .too_few_nodes = true}},
      {"a smaller step waits for a lost node as well",
       [](auto& nodes) {
         nodes.lose_node_without_spare();
         nodes.shape = {.size = {2, 1, 2}, .tasks_per_node = 1, .has_range = true};
       },
       LookAgain{}},
      {"and is smaller after the delay",
       [](auto& nodes) {
         nodes.lose_node_without_spare();
         nodes.shape = {.size = {2, 1, 2}, .tasks_per_node = 1, .has_range = true};
         nodes.seen.last_look = true;
       },
       Start{.line = "restart 1 of 5 starts on 1 node, without node2 (lost: no heartbeat)",
             .nodes = {"node1"},
             .tasks_per_node = 1,
             .on_other_nodes = true}},
      {"without a range it has as many nodes as before, whatever was planned",
       [](auto& nodes) {
         nodes.shape.size = {3, 3, 3};
       },
       on_same_nodes()},
      {"nodes that the user has chosen cannot be replaced",
       [](auto& nodes) {
         nodes.lose_node();
         nodes.shape.fixed = true;
       },
       Finish{.why = "this srun specifies its nodes, so no other nodes can replace them",
              .nodes = {"node1", "node3"}}},
      {"and can be used again", [](auto& nodes) { nodes.shape.fixed = true; }, on_same_nodes()},
      {"nodes with different numbers of tasks cannot replace each other",
       [](auto& nodes) {
         nodes.lose_node();
         nodes.record.nodes[0].tasks = 2;
       },
       Finish{.why = "the nodes have different numbers of tasks, so none can replace another",
              .nodes = {"node1", "node3"}}},
      {"and can be used again", [](auto& nodes) { nodes.record.nodes[0].tasks = 2; },
       [] {
         auto start = on_same_nodes();
         start.tasks_per_node.reset();
         return start;
       }()},
      {"of an attempt without nodes the planned ones count",
       [](auto& nodes) {
         nodes.record.nodes.clear();
         nodes.lose_node();
       },
       with_spare()},
      {"nodes that nobody knows stay as they are",
       [](auto& nodes) { nodes.seen.candidates.reset(); },
       Start{.nodes = {"node1", "node2"}, .spares = {"node3"}, .tasks_per_node = 1}},
      {"unless one is lost",
       [](auto& nodes) {
         nodes.seen.candidates.reset();
         nodes.record.nodes[1].state = report::NodeState::lost;
       },
       Finish{.why =
                  "node2 is lost, and muster does not know which other nodes this step could use"}},
  };
}

TEST(PlanNodes, DecidesFromALookAtTheNodes) {
  for (const auto& choosing : after_a_look()) {
    Nodes nodes;
    choosing.change(nodes);
    EXPECT_EQ(plan_nodes(nodes.rules, nodes.shape, nodes.before, nodes.record, nodes.seen),
              choosing.expected)
        << choosing.name;
  }
}

// --- whether srun's options change

TEST(MoveTo, LeavesSrunAsItWasOnTheSameNodes) {
  const Placement before{.nodes = {}, .spares = {"node4"}, .tasks_per_node = 1};
  EXPECT_EQ(move_to(on_same_nodes(), before, false),
            (Move{.placement = {.nodes = {}, .spares = {"node3"}, .tasks_per_node = 1},
                  .new_options = false}));
}

TEST(MoveTo, NamesOtherNodes) {
  EXPECT_EQ(
      move_to(with_spare(), {.tasks_per_node = 1}, false),
      (Move{.placement = {.nodes = {"node1", "node3"}, .tasks_per_node = 1}, .new_options = true}));
}

TEST(MoveTo, SharesTheCoresOfAStepThatRemainsAndNoLonger) {
  const auto shared = move_to(on_same_nodes(), {.tasks_per_node = 1}, true);
  EXPECT_TRUE(shared.new_options);
  EXPECT_TRUE(shared.placement.shares_cores);
  const auto alone = move_to(on_same_nodes(), shared.placement, false);
  EXPECT_TRUE(alone.new_options);
  EXPECT_FALSE(alone.placement.shares_cores);
  EXPECT_FALSE(move_to(on_same_nodes(), alone.placement, false).new_options);
}

TEST(MoveTo, CannotNameNodesWithDifferentNumbersOfTasks) {
  auto start = on_same_nodes();
  start.tasks_per_node.reset();
  const Placement before{.nodes = {"node1"}, .tasks_per_node = 1, .shares_cores = true};
  EXPECT_EQ(move_to(start, before, false),
            (Move{.placement = {.nodes = {"node1"}, .spares = {"node3"}, .shares_cores = true},
                  .new_options = false}));
}

// --- the exit code

TEST(ExitCode, IsThatOfTheReport) {
  EXPECT_EQ(exit_code({.report_code = 3, .wait_status = report::exited(1)}), 3);
}

TEST(ExitCode, IsSrunsWithoutAReport) {
  EXPECT_EQ(exit_code({.wait_status = report::exited(1)}), std::nullopt);
}

TEST(ExitCode, IsThatOfASignalBetweenTwoAttemptsWhateverTheLastOneDid) {
  EXPECT_EQ(exit_code({.interrupted = 143, .report_code = 3, .wait_status = SIGKILL}), 143);
}

TEST(ExitCode, RepeatsTheSignalThatEndedSrun) {
  EXPECT_EQ(exit_code({.report_code = 3, .wait_status = SIGINT}), std::nullopt);
}

TEST(ExitCode, IsANumberUnderSalloc) {
  EXPECT_EQ(exit_code({.report_code = 3, .wait_status = SIGINT, .own_allocation = true}),
            128 + SIGINT);
  EXPECT_EQ(exit_code({.report_code = 3, .wait_status = report::exited(1), .own_allocation = true}),
            3);
}

TEST(ExitCode, DoesNotRepeatTheSignalByWhichMusterKilledSrun) {
  EXPECT_EQ(exit_code({.report_code = 3, .wait_status = SIGKILL, .srun_killed = true}), 3);
  EXPECT_EQ(exit_code({.wait_status = SIGKILL, .srun_killed = true}), std::nullopt);
}

TEST(ExitCode, OfASuccessorIsThatOfTheReportOrAFailure) {
  EXPECT_EQ(exit_code({.report_code = 3}), 3);
  EXPECT_EQ(exit_code({}), EXIT_FAILURE);
}

}  // namespace
}  // namespace muster::restart
