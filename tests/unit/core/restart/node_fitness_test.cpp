#include "core/restart/node_fitness.hpp"

#include "fixtures/random_text.hpp"
#include "unit/core/report/made_up_step.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::restart {
namespace {

using namespace std::chrono_literals;

using enum Fitness;

constexpr const char* command = "gpu-check";

std::vector<Candidate> fit_nodes(std::size_t count) {
  std::vector<Candidate> nodes;
  for (std::size_t i = 1; i <= count; ++i) nodes.push_back({"n" + std::to_string(i), fit, ""});
  return nodes;
}

// The result of asking each of n1, n2, ... for its health.
NodeChecks checks_of(const std::vector<Health>& healths) {
  NodeChecks checks;
  checks.health = command;
  for (std::size_t i = 0; i < healths.size(); ++i) {
    const auto node = "n" + std::to_string(i + 1);
    const bool is_clear = healths[i] != Health::unclear;
    checks.asked.push_back(node);
    checks.answers.push_back(
        {node, 0, false, healths[i], is_clear ? "exit code 3" : "killed by signal 9"});
  }
  return checks;
}

TEST(JudgeNodes, LeavesThemAsTheyAreWhereNobodyWasAsked) {
  EXPECT_EQ(judge(fit_nodes(2), {}), (Judgement{fit_nodes(2), ""}));
}

TEST(JudgeNodes, TakesAnIllOneOnlyWhereNothingBetterIsLeft) {
  const auto judged = judge(fit_nodes(3), checks_of({Health::well, Health::ill, Health::well}));
  EXPECT_EQ(judged.candidates[1], (Candidate{"n2", suspect, "health check: exit code 3"}));
  EXPECT_EQ(judged.candidates[0].fitness, fit);
  EXPECT_EQ(judged.remark, "");
}

TEST(JudgeNodes, TakesAllForHealthyWhereTheCommandFindsNoneHealthy) {
  const auto judged = judge(fit_nodes(2), checks_of({Health::ill, Health::ill}));
  EXPECT_EQ(judged.candidates, fit_nodes(2));
  EXPECT_EQ(
      judged.remark,
      "health=gpu-check found no node healthy (n1: exit code 3), so muster ignores the result: "
      "all nodes count as healthy");
  EXPECT_EQ(judge(fit_nodes(2), checks_of({Health::unclear, Health::ill})).candidates,
            fit_nodes(2));
  EXPECT_EQ(judge(fit_nodes(1), checks_of({Health::ill})).candidates, fit_nodes(1));
}

TEST(JudgeNodes, SaysTheSameInWhateverOrderTheAnswersCome) {
  auto checks = checks_of({Health::ill, Health::ill, Health::unclear});
  const auto judged = judge(fit_nodes(3), checks);
  std::ranges::reverse(checks.answers);
  EXPECT_EQ(judge(fit_nodes(3), checks), judged);
}

TEST(JudgeNodes, TakesAnUnclearResultForHealthyAndSaysSo) {
  const auto judged =
      judge(fit_nodes(3), checks_of({Health::unclear, Health::well, Health::unclear}));
  EXPECT_EQ(judged.candidates, fit_nodes(3));
  EXPECT_EQ(
      judged.remark,
      "health=gpu-check gave no clear result on n1 (killed by signal 9) and 1 more: such a node counts "
      "as healthy");
}

TEST(JudgeNodes, TakesSilenceForAnUnclearResult) {
  auto checks = checks_of({Health::well, Health::ill});
  checks.asked.emplace_back("n3");
  const auto judged = judge(fit_nodes(3), checks);
  EXPECT_EQ(judged.candidates[1].fitness, suspect);
  EXPECT_EQ(judged.candidates[2].fitness, fit);
  EXPECT_EQ(
      judged.remark,
      "health=gpu-check gave no clear result on n3 (no answer): such a node counts as healthy");
}

TEST(JudgeNodes, SaysNothingOfSilenceWhereThereIsNoCommand) {
  NodeChecks checks;
  checks.asked = {"n1"};
  EXPECT_EQ(judge(fit_nodes(1), checks), (Judgement{fit_nodes(1), ""}));
}

TEST(JudgeNodes, NeverUsesOneWithAProcessThatCannotBeEnded) {
  NodeChecks checks;
  checks.answers = {{"n1", 1, false, Health::unknown, ""}, {"n2", 2, true, Health::unknown, ""}};
  const auto judged = judge(fit_nodes(2), checks).candidates;
  EXPECT_EQ(judged[0],
            (Candidate{"n1", unfit, "a process of an earlier attempt cannot be killed"}));
  EXPECT_EQ(judged[1],
            (Candidate{"n2", unfit, "2 processes of earlier attempts cannot be killed"}));
}

TEST(JudgeNodes, DoubtsOneWhoseGpuMemoryIsNotFree) {
  NodeChecks checks;
  checks.answers = {{"n1", 0, true, Health::unknown, ""}};
  EXPECT_EQ(judge(fit_nodes(1), checks).candidates[0],
            (Candidate{"n1", doubtful, "GPU memory is not free yet"}));
}

TEST(JudgeNodes, NeverMakesANodeFitter) {
  fixtures::RandomText random(14);
  const std::vector<Fitness> all{fit, doubtful, suspect, unfit};
  const std::vector<Health> healths{Health::unknown, Health::well, Health::ill, Health::unclear};
  for (int i = 0; i < 20'000; ++i) {
    auto nodes = fit_nodes(random.below(6));
    NodeChecks checks;
    if (random.below(2) == 0) checks.health = command;
    for (auto& node : nodes) {
      node.fitness = random.pick(all);
      if (random.below(4) == 0) continue;
      checks.asked.push_back(node.name);
      if (random.below(4) == 0) continue;
      checks.answers.push_back({node.name, static_cast<std::uint32_t>(random.below(2)),
                                random.below(2) == 0, random.pick(healths), "why"});
    }
    const auto judged = judge(nodes, checks);
    ASSERT_EQ(judged.candidates.size(), nodes.size());
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      EXPECT_EQ(judged.candidates[n].name, nodes[n].name);
      EXPECT_GE(judged.candidates[n].fitness, nodes[n].fitness);
    }
    EXPECT_TRUE(checks.health || judged.remark.empty());
  }
}

TEST(LeavesDoubt, WhereNobodySawARanksEnd) {
  auto record = report::made_up_step(2, 1);
  EXPECT_FALSE(leaves_doubt(record));
  report::add_end(record, 0, report::exited(1), report::at(5s));
  EXPECT_FALSE(leaves_doubt(record));
  record.nodes[1].state = report::NodeState::lost;  // it is fenced off
  EXPECT_FALSE(leaves_doubt(record));
  record.nodes[1].state = report::NodeState::agent_gone;
  EXPECT_TRUE(leaves_doubt(record));
  record.nodes[1].state = report::NodeState::done;
  report::add_end(record, 1, report::unknown_status, report::at(5s));
  EXPECT_TRUE(leaves_doubt(record));
}

TEST(SlowNodes, AreUsedOnlyIfThereAreTooFewOthers) {
  auto nodes = fit_nodes(4);
  nodes[3].fitness = unfit;
  std::vector<slow::Named> slow{{.node = "n2", .rank = 5, .time_percent = 19},
                                {.node = "n3", .time_percent = 8, .over = true},
                                {.node = "n4", .time_percent = 8},
                                {.node = "n9", .time_percent = 8}};
  doubt_slow(nodes, slow);
  EXPECT_EQ(nodes[0].fitness, fit);
  EXPECT_EQ(nodes[1], (Candidate{"n2", doubtful,
                                 "slow: rank 5 on n2 held up all others for 19 % of the time"}));
  EXPECT_EQ(nodes[2].fitness, fit);
  EXPECT_EQ(nodes[3].fitness, unfit);
  const auto choice = choose_nodes(nodes, std::vector<std::string>{"n1", "n2"}, {2, 1, 2});
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->nodes, (std::vector<std::string>{"n1", "n3"}));
}

TEST(SlowNodes, AreDoubtfulForTheirNetworkAndNotForALinkToOneOtherNode) {
  auto nodes = fit_nodes(3);
  doubt_slow(nodes, std::vector<slow::Named>{
                        {.node = "n1", .time_percent = 60, .link = slow::NamedLink{.to = "n2"}},
                        {.node = "n3", .time_percent = 40, .link = slow::NamedLink{}}});
  EXPECT_EQ(nodes[0].fitness, fit);
  EXPECT_EQ(nodes[1].fitness, fit);
  EXPECT_EQ(nodes[2],
            (Candidate{"n3", doubtful,
                       "slow: the network of n3 held up all others for 40 % of the time"}));
}

}  // namespace
}  // namespace muster::restart
