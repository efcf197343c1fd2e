// slow= from what the agents tell to what the user reads: a slow rank, a slow link, or one that only looks slow because
// of the other.
#include "core/slow/findings.hpp"

#include "simulated_network.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace muster::slow {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::size_t nodes = 4;

struct Case {
  std::size_t late_rank = 2;
  milliseconds late{300};
  std::size_t narrow_from = 1;  // to the next node
  double busy = 0.6;            // of the narrow link; 0: there is none
  std::size_t narrow_too = 1;
  std::vector<Evidence> evidence = std::vector<Evidence>(nodes, Evidence{.computing = 100});
  bool answers = true;
};

// Steps of a second on four nodes with a rank each, in which each node sends to the next one.
struct Story : Case {
  explicit Story(Case given = {}) : Case(std::move(given)) {}

  Findings findings{Limits()};
  std::vector<Named> told = {};
  std::vector<Findings::Question> questions = {};
  int now = 0;

  // Returns when the first was told; no value: nobody.
  std::optional<int> run(int until) {
    while (now < until) {
      now += 5;
      for (std::size_t node = 0; node < nodes; ++node) {
        findings.add(node, piece(node));
        findings.add(node, traffic(node), seconds(now));
      }
      auto result =
          findings.look(seconds(now), [](auto node) { return "n" + std::to_string(node); });
      for (const auto& question : result.questions) {
        if (answers) findings.examined(question.node, question.number, evidence.at(question.node));
      }
      questions.insert(questions.end(), result.questions.begin(), result.questions.end());
      told.insert(told.end(), result.fresh.begin(), result.fresh.end());
      if (!told.empty() && !first_) first_ = now;
    }
    return first_;
  }

  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& named : findings.named())
      names.push_back(named.link ? named.node + ">" + named.link->to
                                 : "rank " + std::to_string(named.rank.value_or(9)));
    return names;
  }

 private:
  [[nodiscard]] Piece piece(std::size_t node) const {
    Group group{.name = "0", .ranks = "0-3"};
    group.size = nodes;
    Piece made{.base = seconds(now - 5), .groups = {group}, .operations = {"all_reduce"}};
    for (std::uint64_t step = 0; step < 5; ++step) {
      const auto at = seconds(step) + milliseconds(10 + 3 * ((step + node) % 4)) +
                      (node == late_rank ? late : milliseconds(0));
      made.collectives.push_back({.number = static_cast<std::uint64_t>(now) + step,
                                  .count = 1,
                                  .rank = static_cast<std::uint32_t>(node),
                                  .first = at,
                                  .last = at});
    }
    return made;
  }

  [[nodiscard]] Traffic traffic(std::size_t node) const {
    const bool is_narrow = busy > 0 && (node == narrow_from || node == narrow_too);
    const auto time = microseconds(static_cast<int>(5e6 * (is_narrow ? busy : 0.05)));
    return {.own = {address_of_node(node)},
            .flows = {{.to = address_of_node((node + 1) % nodes),
                       .bytes = 250'000'000,
                       .busy = time,
                       .most = time,
                       .segments = 170'000,
                       .looks = 5,
                       .queued = is_narrow ? 3U : 0U}}};
  }

  std::optional<int> first_;
};

using Names = std::vector<std::string>;

// The rank behind a narrow link gets its data last, and so it is last at the next collective.
TEST(SlowFindings, ARankThatOnlyGetsItsDataLateIsNotNamed) {
  for (const auto& evidence :
       {Evidence{}, Evidence{.computing = 100}, Evidence{.computing = 900},
        Evidence{.computing = 100, .segments = 1000, .repeated = 50},
        Evidence{.computing = 100, .workers = 2, .workers_computing = 500}}) {
    for (const std::size_t late : {1, 2}) {
      Story story({.late_rank = late});
      story.evidence[late] = evidence;
      ASSERT_TRUE(story.run(600));
      EXPECT_EQ(story.names(), Names{"n1>n2"});
      EXPECT_EQ(story.told.size(), 1U);
    }
  }
}

TEST(SlowFindings, ARankThatDoesNotAnswerWaitsForTheLinksAsWell) {
  Story story({.answers = false});
  ASSERT_TRUE(story.run(300));
  EXPECT_EQ(story.names(), Names{"n1>n2"});
}

TEST(SlowFindings, ARankWithAReasonOfItsOwnIsNamedAtOnce) {
  Story story;
  story.evidence[2].queueing = 400;
  EXPECT_LE(story.run(300), 115);
  EXPECT_EQ(story.told[0].rank, 2U);
  EXPECT_TRUE(story.told[0].cause.starts_with("its CPUs are shared")) << story.told[0].cause;
  EXPECT_EQ(story.names(), (Names{"rank 2", "n1>n2"}));
}

// Its neighbours get their data late.
TEST(SlowFindings, ARankOnTheOtherSideOfANodesSlowNetworkIsNotNamed) {
  for (const std::size_t late : {0, 1, 2}) {
    Story story({.late_rank = late, .narrow_too = 0});  // what node 0 and node 1 send
    ASSERT_TRUE(story.run(600));
    EXPECT_EQ(story.names(), Names{"n1>"});
  }
}

// A process that is kept from running serves its connections as late as everything else.
TEST(SlowFindings, ALinkIsNotNamedWhereItsNodeIsThrottled) {
  Story story;
  story.evidence[2].throttled = 600;
  ASSERT_TRUE(story.run(400));
  EXPECT_EQ(story.names(), Names{"rank 2"});
  story.evidence[2].throttled = 0;
  story.run(600);
  EXPECT_EQ(story.names(), (Names{"rank 2", "n1>n2"}));
}

TEST(SlowFindings, ARankThatCostsMoreThanTheLinkIsNamedAsWell) {
  Story story({.late = milliseconds(600), .busy = 0.2});
  story.run(300);
  EXPECT_EQ(story.names(), (Names{"rank 2", "n1>n2"}));
}

TEST(SlowFindings, ARankOfAnotherNodeIsNamedBesideTheLink) {
  Story story({.late_rank = 0});
  story.run(300);
  EXPECT_EQ(story.names(), (Names{"rank 0", "n1>n2"}));
}

TEST(SlowFindings, ARankThatWaitsIsNamedOnceTheLinksTurnOutToBeFast) {
  Story story({.busy = 0});
  const auto first = story.run(300);
  EXPECT_GE(first, 130);
  EXPECT_LE(first, 145);
  EXPECT_EQ(story.names(), Names{"rank 2"});
  EXPECT_TRUE(story.told[0].cause.starts_with("it waits")) << story.told[0].cause;
}

TEST(SlowFindings, ARankIsNotNamedRightAfterALinkIsFastAgain) {
  Story story;
  ASSERT_TRUE(story.run(400));
  story.busy = 0;
  story.late = milliseconds(0);
  story.run(800);
  EXPECT_EQ(story.names(), Names{"n1>n2"});
  EXPECT_TRUE(story.findings.named()[0].over);
  EXPECT_GT(story.findings.named()[0].lost, seconds(100));
}

TEST(SlowFindings, AtTheEndOnlyThatIsToldWhichIsSure) {
  Story early;
  early.run(105);
  EXPECT_TRUE(early.told.empty());
  EXPECT_TRUE(early.findings.end(seconds(106)).empty());
  Story late({.busy = 0, .answers = false});
  late.run(130);
  EXPECT_EQ(late.told.size() + late.findings.end(seconds(140)).size(), 1U);
}

TEST(SlowFindings, BothNodesOfALinkAreExaminedAndAskedAgainIfBusy) {
  Story story({.late = milliseconds(0), .answers = false});
  story.run(150);
  const auto asked = [&](std::size_t node) {
    return std::ranges::count(story.questions, node, &Findings::Question::node);
  };
  EXPECT_EQ(asked(0) + asked(3), 0);
  EXPECT_EQ(asked(1), asked(2));
  EXPECT_GE(asked(1), 2);
  EXPECT_FALSE(story.questions[0].rank);
  EXPECT_EQ(story.names(), Names{"n1>n2"});  // although nobody has answered
}

TEST(SlowFindings, AnAnswerOfAnotherNodeIsIgnored) {
  Story story({.answers = false});
  story.run(105);
  ASSERT_FALSE(story.questions.empty());
  story.findings.examined(3, story.questions[0].number, {.throttled = 900});
  story.run(300);
  EXPECT_EQ(story.names(), Names{"n1>n2"});
}

}  // namespace
}  // namespace muster::slow
