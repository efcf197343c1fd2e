#include "core/restart/nodes.hpp"

#include "fixtures/random_text.hpp"
#include "past_attempts.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::restart {
namespace {

using Names = std::vector<std::string>;
using enum Fitness;

std::vector<Candidate> nodes(const std::vector<Fitness>& fitness) {
  std::vector<Candidate> candidates;
  for (std::size_t i = 0; i < fitness.size(); ++i) {
    const bool is_fit = fitness[i] == fit;
    candidates.push_back({"n" + std::to_string(i + 1), fitness[i], is_fit ? "" : "why"});
  }
  return candidates;
}

Names chosen(const std::vector<Fitness>& fitness, const Names& previous, const Size& size) {
  const auto choice = choose_nodes(nodes(fitness), previous, size);
  return choice ? choice->nodes : Names{};
}

TEST(ChooseNodes, TakesTheAllocationsOrderAtFirst) {
  EXPECT_EQ(choose_nodes(nodes({fit, fit, fit}), {}, {2, 2, 2}), (Choice{{"n1", "n2"}, {}, {}}));
}

TEST(ChooseNodes, LeavesAFirstDoubtfulNodeInReserve) {
  EXPECT_EQ(chosen({doubtful, fit, fit}, {}, {2, 2, 2}), (Names{"n2", "n3"}));
  EXPECT_EQ(chosen({doubtful, fit, fit}, {}, {3, 3, 3}), (Names{"n1", "n2", "n3"}));
}

TEST(ChooseNodes, TakesTheSameNodesAgain) {
  EXPECT_EQ(choose_nodes(nodes({fit, fit, fit}), Names{"n3", "n1"}, {2, 2, 2}),
            (Choice{{"n3", "n1"}, {}, {}}));
}

TEST(ChooseNodes, PutsASpareInThePlaceOfALostNode) {
  EXPECT_EQ(choose_nodes(nodes({unfit, fit, fit, fit}), Names{"n1", "n2", "n3"}, {3, 3, 3}),
            (Choice{{"n4", "n2", "n3"}, {{"n1", unfit, "why"}}, {"n4"}}));
}

// Each node is written as its leaf switch's letter: "abab" has n1 and n3 under a.
std::vector<Candidate> under(const std::string& leaves, const std::vector<Fitness>& fitness) {
  auto candidates = nodes(fitness);
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (leaves[i] != '-') candidates[i].leaf = leaves[i];
  }
  return candidates;
}

Names newcomers(const std::vector<Candidate>& candidates, const Names& previous) {
  const auto size = static_cast<std::uint32_t>(previous.size());
  return choose_nodes(candidates, previous, {size, size, size})->added;
}

TEST(ChooseNodes, PrefersASpareUnderTheLostNodesSwitch) {
  EXPECT_EQ(newcomers(under("abab", {fit, unfit, fit, fit}), {"n1", "n2"}), Names{"n4"});
  EXPECT_EQ(newcomers(under("abab", {unfit, fit, fit, fit}), {"n1", "n2"}), Names{"n3"});
}

TEST(ChooseNodes, TakesASpareUnderEachSwitchThatHasLostANode) {
  EXPECT_EQ(newcomers(under("abaabb", {unfit, unfit, fit, fit, fit, fit}), {"n1", "n2"}),
            (Names{"n3", "n5"}));
  EXPECT_EQ(newcomers(under("aaabaa", {unfit, unfit, fit, fit, fit, fit}), {"n1", "n2"}),
            (Names{"n3", "n5"}));
}

TEST(ChooseNodes, TakesASpareUnderAnotherSwitchRatherThanNone) {
  EXPECT_EQ(newcomers(under("aabc", {fit, unfit, fit, fit}), {"n1", "n2"}), Names{"n3"});
  EXPECT_EQ(newcomers(under("aa-a", {unfit, unfit, fit, fit}), {"n1", "n2"}), (Names{"n3", "n4"}));
}

TEST(ChooseNodes, PrefersAFitSpareToOneUnderTheSameSwitch) {
  EXPECT_EQ(newcomers(under("aaba", {fit, unfit, fit, doubtful}), {"n1", "n2"}), Names{"n3"});
}

TEST(ChooseNodes, LeavesTheNodesThatRanWhateverTheirSwitch) {
  EXPECT_EQ(choose_nodes(under("abbb", {unfit, fit, fit, fit}), Names{"n1", "n2", "n3"}, {2, 2, 2})
                ->nodes,
            (Names{"n2", "n3"}));
}

TEST(ChooseNodes, KnowsNoSwitchThatSlurmDoesNotName) {
  EXPECT_EQ(newcomers(under("-b-a", {fit, unfit, fit, fit}), {"n1", "n2"}), Names{"n3"});
}

TEST(ChooseNodes, GoesOnWithFewerDownToTheMinimum) {
  EXPECT_EQ(choose_nodes(nodes({fit, unfit, fit}), Names{"n1", "n2", "n3"}, {3, 2, 3}),
            (Choice{{"n1", "n3"}, {{"n2", unfit, "why"}}, {}}));
  EXPECT_EQ(choose_nodes(nodes({fit, unfit, unfit}), Names{"n1", "n2", "n3"}, {3, 2, 3}),
            std::nullopt);
}

TEST(ChooseNodes, GrowsBackWhenNodesReturn) {
  EXPECT_EQ(choose_nodes(nodes({fit, fit, fit}), Names{"n1", "n3"}, {3, 2, 3}),
            (Choice{{"n1", "n3", "n2"}, {}, {"n2"}}));
}

TEST(ChooseNodes, UsesNeverMoreThanTheFirstAttemptOrTheMaximum) {
  EXPECT_EQ(chosen({fit, fit, fit, fit}, {"n1"}, {3, 1, 4}), (Names{"n1", "n2", "n3"}));
  EXPECT_EQ(chosen({fit, fit, fit, fit}, {"n1"}, {4, 1, 2}), (Names{"n1", "n2"}));
}

TEST(ChooseNodes, ExchangesADoubtfulNodeForAFitOne) {
  EXPECT_EQ(choose_nodes(nodes({doubtful, fit, fit}), Names{"n1", "n2"}, {2, 2, 2}),
            (Choice{{"n3", "n2"}, {{"n1", doubtful, "why"}}, {"n3"}}));
}

TEST(ChooseNodes, UsesADoubtfulNodeRatherThanFewer) {
  EXPECT_EQ(chosen({doubtful, fit}, {"n1", "n2"}, {2, 1, 2}), (Names{"n1", "n2"}));
}

TEST(ChooseNodes, UsesFewerRatherThanASuspectWhereThatIsAllowed) {
  EXPECT_EQ(chosen({suspect, fit}, {"n1", "n2"}, {2, 1, 2}), Names{"n2"});
  EXPECT_EQ(chosen({suspect, fit}, {"n1", "n2"}, {2, 2, 2}), (Names{"n1", "n2"}));
}

TEST(ChooseNodes, CountsANodeOnce) {
  const std::vector<Candidate> allocation{{"n1", fit, ""}, {"n1", fit, ""}, {"n2", fit, ""}};
  EXPECT_EQ(choose_nodes(allocation, {}, {2, 2, 2})->nodes, (Names{"n1", "n2"}));
  EXPECT_EQ(choose_nodes(allocation, {}, {3, 3, 3}), std::nullopt);
}

TEST(ChooseNodes, NamesANodeThatTheJobNoLongerHas) {
  EXPECT_EQ(choose_nodes(nodes({fit}), Names{"n1", "n9"}, {2, 1, 2}),
            (Choice{{"n1"}, {{"n9", unfit, "no longer in the job"}}, {}}));
}

struct Case {
  std::vector<Candidate> allocation;
  Names previous;
  Size size;
};

Case any_case(fixtures::RandomText& random) {
  std::vector<Fitness> fitness(random.below(9));
  for (auto& each : fitness) each = random.pick<Fitness>({fit, fit, doubtful, suspect, unfit});
  Case made{nodes(fitness), {}, {}};
  for (std::size_t i = random.below(9); i > 0; --i) {
    const auto name = "n" + std::to_string(i);
    made.previous.insert(
        made.previous.begin() + static_cast<std::ptrdiff_t>(random.below(made.previous.size() + 1)),
        name);
  }
  made.size.wanted = static_cast<std::uint32_t>(1 + random.below(6));
  made.size.min = static_cast<std::uint32_t>(1 + random.below(made.size.wanted));
  made.size.max = made.size.min + static_cast<std::uint32_t>(random.below(6));
  return made;
}

std::size_t count(const Case& made, Fitness fitness) {
  return static_cast<std::size_t>(
      std::ranges::count(made.allocation, fitness, &Candidate::fitness));
}

std::size_t count(const Case& made, const Choice& choice, Fitness fitness) {
  return static_cast<std::size_t>(
      std::ranges::count_if(made.allocation, [&](const Candidate& node) {
        return node.fitness == fitness && std::ranges::count(choice.nodes, node.name) == 1;
      }));
}

void expect_fittest(const Case& made, const Choice& choice) {
  const std::size_t most = std::min(made.size.wanted, made.size.max);
  const auto fits = std::min(count(made, fit), most);
  EXPECT_EQ(count(made, choice, fit), fits);
  const auto doubtfuls = std::min(count(made, doubtful), most - fits);
  EXPECT_EQ(count(made, choice, doubtful), doubtfuls);
  EXPECT_EQ(count(made, choice, unfit), 0U);
  const auto good = fits + doubtfuls;
  EXPECT_EQ(choice.nodes.size(), std::max<std::size_t>(good, made.size.min));
}

// A node that stays keeps its place, or at least its order where places close up.
void expect_stable(const Case& made, const Choice& choice) {
  std::size_t last = 0;
  for (std::size_t i = 0; i < made.previous.size(); ++i) {
    const auto found = std::ranges::find(choice.nodes, made.previous[i]);
    if (found == choice.nodes.end()) continue;
    const auto place = static_cast<std::size_t>(found - choice.nodes.begin());
    EXPECT_GE(place, last);
    EXPECT_LE(place, i);
    if (choice.nodes.size() >= made.previous.size()) {
      EXPECT_EQ(place, i);
    }
    last = place;
  }
}

void expect_told(const Case& made, const Choice& choice) {
  std::set<std::string> before(made.previous.begin(), made.previous.end());
  std::set<std::string> after = before;
  for (const auto& node : choice.left_out) EXPECT_EQ(after.erase(node.name), 1U) << node.name;
  for (const auto& name : choice.added) EXPECT_TRUE(after.insert(name).second) << name;
  if (before.empty()) return;
  EXPECT_EQ(after, std::set(choice.nodes.begin(), choice.nodes.end()));
}

TEST(ChooseNodes, HoldsItsPromisesInAnyCase) {
  fixtures::RandomText random(14);
  for (int i = 0; i < 20'000; ++i) {
    const Case made = any_case(random);
    const auto choice = choose_nodes(made.allocation, made.previous, made.size);
    const auto usable = made.allocation.size() - count(made, unfit);
    ASSERT_EQ(choice.has_value(), usable >= made.size.min);
    if (!choice) continue;
    const std::set<std::string> once(choice->nodes.begin(), choice->nodes.end());
    ASSERT_EQ(once.size(), choice->nodes.size());
    expect_fittest(made, *choice);
    expect_stable(made, *choice);
    expect_told(made, *choice);
    ASSERT_FALSE(testing::Test::HasFailure()) << "case " << i;
  }
}

TEST(InReserve, AreTheOthersTheFittestFirst) {
  EXPECT_EQ(in_reserve(nodes({fit, doubtful, unfit, fit, fit}), Names{"n1", "n4"}),
            (Names{"n5", "n2"}));
  EXPECT_EQ(in_reserve(nodes({fit}), Names{"n1"}), Names{});
}

TEST(InReserve, AreWhoTakesTheNextPlaces) {
  fixtures::RandomText random(15);
  for (int i = 0; i < 5'000; ++i) {
    Case made = any_case(random);
    const auto before = choose_nodes(made.allocation, {}, made.size);
    if (!before) continue;
    const auto reserve = in_reserve(made.allocation, before->nodes);
    const auto& lost = random.pick(before->nodes);
    std::ranges::find(made.allocation, lost, &Candidate::name)->fitness = unfit;
    const auto after = choose_nodes(made.allocation, before->nodes, made.size);
    if (!after || after->added.empty()) continue;
    ASSERT_EQ(after->added, Names{reserve.front()}) << "case " << i;
  }
}

// Attempts that failed first on these nodes, each this long after the previous one.
Names suspects_of(const std::vector<std::pair<std::string, Time>>& failures, Time later = 0s) {
  std::vector<AttemptHistory> past;
  Time now{0};
  for (const auto& [node, after] : failures) {
    now += after;
    AttemptHistory& attempt = past.emplace_back();
    attempt.first_node = node;
    attempt.failed = now;
  }
  Names names;
  for (const auto& suspect : suspects(past, now + later)) names.push_back(suspect.node);
  return names;
}

TEST(Suspects, FailedFirstTwiceWithinTenMinutes) {
  EXPECT_EQ(suspects_of({{"n1", 0s}}), Names{});
  EXPECT_EQ(suspects_of({{"n1", 0s}, {"n1", 10min}}), Names{"n1"});
  EXPECT_EQ(suspects_of({{"n1", 0s}, {"n1", 10min + 1ns}}), Names{});
  EXPECT_EQ(suspects_of({{"n1", 0s}, {"n2", 4min}, {"n1", 4min}, {"n2", 4min}}),
            (Names{"n1", "n2"}));
  EXPECT_EQ(suspects_of({{"n1", 0s}, {"n1", 1s}, {"n1", 1s}}), Names{"n1"});
}

TEST(Suspects, AreNoNodesWithoutAName) {
  EXPECT_EQ(suspects_of({{"", 0s}, {"", 1s}}), Names{});
}

TEST(Suspects, GetAnotherChanceAfterAnHour) {
  EXPECT_EQ(suspects_of({{"n1", 0s}, {"n1", 1s}}, 1h), Names{"n1"});
  EXPECT_EQ(suspects_of({{"n1", 0s}, {"n1", 1s}}, 1h + 1ns), Names{});
}

TEST(Suspects, AreAtOnceNodesWhereAloneTheProgramCouldNotStart) {
  std::vector<AttemptHistory> past(2);
  past[0].failed = 1s;
  past[0].start_error = {"n2", "ImportError: x"};
  past[1].failed = 30min;
  const Suspect suspect{"n2", "the program could not start there"};
  EXPECT_EQ(suspects(std::span(past).first(1), 1s), std::vector{suspect});
  EXPECT_EQ(suspects(past, 1s + 1h), std::vector{suspect});
  EXPECT_EQ(suspects(past, 1s + 1h + 1ns), std::vector<Suspect>{});
}

}  // namespace
}  // namespace muster::restart
