#include "core/preflight/link.hpp"
#include "core/preflight/local.hpp"
#include "fixtures/random_record.hpp"

#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::preflight {
namespace {

TEST(TestReport, IsReadAsItWasWritten) {
  const std::vector<TestReport> reports{{7, 812.5, Measure{61.25, 70.5, 2, 1.5e9}, ""},
                                        {8, 1, {}, ""},
                                        {9, 2, {}, "cannot connect: Connection refused"}};
  for (const auto& report : reports) EXPECT_EQ(test_report(to_text(report)), report);
}

TEST(TestReport, OfDamagedTextIsNothingOrHarmless) {
  fixtures::expect_one_form<TestReport>();
}

TEST(TestReport, WithAFigureThatCannotBeIsNothing) {
  constexpr auto nan = std::numeric_limits<double>::quiet_NaN();
  constexpr auto infinite = std::numeric_limits<double>::infinity();
  for (const auto wrong : {-1.0, 1e16, nan, infinite}) {
    EXPECT_EQ(test_report(to_text({7, wrong, {}, ""})), std::nullopt) << wrong;
    EXPECT_EQ(test_report(to_text({7, 1, Measure{wrong, 70.5, 2, 1.5e9}, ""})), std::nullopt);
    EXPECT_EQ(test_report(to_text({7, 1, Measure{61.25, 70.5, 2, wrong}, ""})), std::nullopt);
  }
}

TEST(Link, FailsByWhatEitherEndSays) {
  const TestReport good{1, 2, Measure{61.25, 70.5, 2, 1.5e9}, ""};
  const TestReport well{1, 2, {}, ""};
  const TestReport bad{1, 2, {}, "cannot connect"};
  EXPECT_EQ(tested({0, 1, 0, {}, {}}, good, well).measure, good.measure);
  for (const auto& link :
       {tested({0, 1, 0, {}, {}}, good, bad), tested({0, 1, 0, {}, {}}, bad, well)}) {
    EXPECT_FALSE(link.measure);
    EXPECT_EQ(link.why, "cannot connect");
  }
}

TEST(LocalText, IsReadAsItWasWritten) {
  const Local local{{{Severity::failing, "/scratch: no answer within 2 s"},
                     {Severity::slow, "x"},
                     {Severity::warning, "GPU 3: y"}},
                    {{"gpu.count", 8}, {"net.carrier_changes", 3}}};
  EXPECT_EQ(local_from_text(to_text(local)), local);
  EXPECT_EQ(local_from_text(to_text(Local())), Local());
  fixtures::expect_one_form<Local>({"gpu.count", "ib.rate", "net.carrier_changes", "cpu.quota"});
  EXPECT_EQ(local_from_text(to_text(Local{{}, {{"other", 3}}})), std::nullopt);
  EXPECT_EQ(local_from_text(to_text(Local{{{Severity{3}, "x"}}, {}})), std::nullopt);
}

TEST(LocalText, HoldsSoManyFindingsAndNoControlCharacters) {
  const Local many{std::vector<Finding>(100, {Severity::failing, "a\x1b[31mb"}), {}};
  const auto local = local_from_text(to_text(many));
  ASSERT_TRUE(local);
  EXPECT_EQ(local->findings.size(), max_findings);
  EXPECT_EQ(local->findings.front().what.find('\x1b'), std::string::npos);
}

doctor::Facts facts_of(const std::vector<std::pair<std::string, std::string>>& all) {
  doctor::Facts facts;
  for (const auto& [name, value] : all) facts.set(name, value);
  return facts;
}

TEST(NodeItself, IsWellWhereNothingIsWrong) {
  EXPECT_TRUE(judge_node(facts_of({{"disk./tmp", "ok"}, {"gpu.count", "8"}})).findings.empty());
}

TEST(NodeItself, FailsByWhatBreaksARunAndIsWarnedOfTheRest) {
  const auto severity = [](const char* fact, const char* value) {
    const auto local =
        judge_node(facts_of({{"gpu.driver", "560.1"}, {"nvml", "ok"}, {fact, value}}));
    return local.findings.empty()                                 ? "none"
           : local.findings.front().severity == Severity::failing ? "failing"
                                                                  : "warning";
  };
  EXPECT_STREQ(severity("nvml", "error 999"), "failing");
  EXPECT_STREQ(severity("gpu.recovery", "3"), "failing");
  EXPECT_STREQ(severity("gpu.remap_failed", "3"), "failing");
  EXPECT_STREQ(severity("gpu.fabric_bad", "0,1"), "failing");
  EXPECT_STREQ(severity("disk./home", "no answer within 2 s"), "failing");
  EXPECT_STREQ(severity("disk./home", "full"), "warning");
  EXPECT_STREQ(severity("gpu.ecc", "3"), "warning");
  EXPECT_STREQ(severity("gpu.slowed", "3"), "warning");
  EXPECT_STREQ(severity("gpu.narrow", "0000:01:00.0 has 8 of 16 lanes"), "warning");
  EXPECT_STREQ(severity("gpu.memory_held", "yes"), "warning");
  EXPECT_STREQ(severity("gpu.not_persistent", "0"),
               "none");  // about the site, and no reason to leave a node out
}

std::optional<Local> with(const char* name, std::uint64_t count) {
  return Local{{}, {{name, count}}};
}

TEST(Compared, ANodeWithFewerThanMostIsSlow) {
  const auto found =
      compare({with("ib.active", 8), with("ib.active", 7), with("ib.active", 8), {}}, {});
  EXPECT_TRUE(found[0].empty());
  ASSERT_EQ(found[1].size(), 1U);
  EXPECT_EQ(found[1].front(),
            (Finding{Severity::slow, "7 active RDMA ports, but most other nodes have 8"}));
  EXPECT_TRUE(found[3].empty());
}

TEST(Compared, NobodyIsUsualAmongTwoNodesOrWhereHalfDiffer) {
  EXPECT_TRUE(compare({with("gpu.count", 8), with("gpu.count", 4)}, {})[1].empty());
  EXPECT_TRUE(compare({with("gpu.count", 8), with("gpu.count", 4), with("gpu.count", 8),
                       with("gpu.count", 4)},
                      {})[1]
                  .empty());
}

Local of_cpus(std::uint64_t online, std::optional<std::uint64_t> quota = {}) {
  Local local{{}, {{"cpu.online", online}}};
  if (quota) local.counts.emplace("cpu.quota", *quota);
  return local;
}

TEST(Compared, ANodeWhoseControlGroupHoldsItsCpusBackAndTheOthersDoNotIsSlow) {
  const auto found = compare({of_cpus(2000), of_cpus(2000, 200), of_cpus(2000, 1900), {}}, {});
  EXPECT_TRUE(found[0].empty());
  ASSERT_EQ(found[1].size(), 1U);
  EXPECT_EQ(
      found[1].front(),
      (Finding{
          Severity::slow,
          "its control group limits it to 0.2 CPUs, but half of the nodes can use 1.9 or more"}));
  EXPECT_TRUE(found[2].empty());
}

TEST(Compared, AQuotaThatMostHaveOrASmallerNodeIsNotSlow) {
  const auto nobody = [](const std::vector<std::optional<Local>>& nodes) {
    for (const auto& findings : compare(nodes, {})) EXPECT_TRUE(findings.empty());
  };
  nobody({of_cpus(64000, 8000), of_cpus(32000, 8000), of_cpus(8000)});
  nobody({of_cpus(64000), of_cpus(64000), of_cpus(8000)});
  nobody({of_cpus(64000), of_cpus(64000, 1000)});  // of two values neither is usual
}

TEST(Compared, ALinkThatHasGoneAndComeSinceTheLastLookIsAWarning) {
  const auto* const name = "net.carrier_changes";
  const auto found =
      compare({with(name, 5), with(name, 9)}, {Counts{{name, 5}}, Counts{{name, 7}}});
  EXPECT_TRUE(found[0].empty());
  ASSERT_EQ(found[1].size(), 1U);
  EXPECT_EQ(found[1].front().severity, Severity::warning);
}

}  // namespace
}  // namespace muster::preflight
