#include "core/doctor/diagnosis.hpp"

#include "core/doctor/message.hpp"
#include "core/doctor/text.hpp"
#include "unit/core/doctor/healthy_host.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace muster::doctor {
namespace {

using Names = std::vector<std::string>;

std::vector<Host> nodes(std::size_t count, const Facts::Map& facts) {
  std::vector<Host> hosts;
  for (std::size_t i = 1; i <= count; ++i)
    hosts.push_back({"node" + std::to_string(i), false, true, facts_of(facts)});
  return hosts;
}

TEST(DoctorComparison, NamesTheOddNodeOfEachFact) {
  const Names facts{"release",       "plugin.hash",  "muster",       "config.hash",
                    "pmix.library",  "nccl.version", "gpu.driver",   "gpu.count",
                    "kernel",        "ib.rates",     "ib.active",    "net.mtu",
                    "limit.memlock", "limit.nofile", "sysctl.ports", "memory.gib"};
  Facts::Map usual;
  for (const auto& fact : facts) usual[fact] = "usual";
  EXPECT_EQ(compare_nodes(nodes(3, usual), {}).size(), facts.size());
  for (const auto& fact : facts) {
    auto hosts = nodes(3, usual);
    hosts[1].facts.set(fact, "odd");
    auto rows = compare_nodes(hosts, {});
    std::erase_if(rows, [](const Row& row) { return row.outcome == Outcome::ok; });
    ASSERT_EQ(rows.size(), 1U) << fact;
    EXPECT_EQ(rows[0].hosts, Names{"node2"});
    EXPECT_EQ(rows[0].evidence, "usual on node[1,3]; odd on node2");
  }
}

TEST(DoctorComparison, FailsForAnMtuThatDiffersOnOneNetwork) {
  auto hosts = nodes(3, {{"mtu.10.0.0.0/24", "1500"}, {"net.mtu", "1500"}});
  hosts[2].facts.set("mtu.10.0.0.0/24", "9000");
  hosts[2].facts.set("net.mtu", "9000");
  const auto rows = compare_nodes(hosts, {});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].outcome, Outcome::error);
  EXPECT_EQ(rows[0].evidence, "network 10.0.0.0/24: 1500 on node[1-2]; 9000 on node3");
  EXPECT_EQ(rows[0].hosts, Names{"node3"});
}

TEST(DoctorComparison, OnlyWarnsOfOtherDevices) {
  // A node with an additional NIC, and nodes that each have a separate network.
  auto hosts = nodes(3, {{"mtu.10.0.0.0/24", "1500"}, {"net.mtu", "1500"}});
  hosts[2].facts.set("mtu.10.1.0.0/24", "9000");
  hosts[2].facts.set("net.mtu", "1500 9000");
  const auto rows = compare_nodes(hosts, {});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].outcome, Outcome::warning);
  EXPECT_EQ(rows[0].evidence, "1500 on node[1-2]; 1500 9000 on node3");
}

TEST(DoctorComparison, LeavesWhatIsMissingToItsOwnRow) {
  auto hosts = nodes(2, {{"pmix.library", "OpenPMIx 4.2.2"}});
  hosts[1].facts.set("pmix.library", "missing");
  for (const auto& row : compare_nodes(hosts, {})) EXPECT_EQ(row.outcome, Outcome::ok);
}

TEST(DoctorComparison, NamesBothWhereNoneIsTheUsualOne) {
  auto hosts = nodes(2, {{"net.mtu", "eth0=1500"}});
  hosts[0].facts.set("net.mtu", "eth0=9000");
  const auto rows = compare_nodes(hosts, {});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].hosts.size(), 2U);
}

TEST(DoctorComparison, LeavesOutTheSubmitHostAndSingleNodes) {
  auto hosts = nodes(2, {{"kernel", "6.1"}});
  hosts[0].submits = true;
  hosts[0].facts.set("kernel", "5.10");
  EXPECT_TRUE(compare_nodes(hosts, {}).empty());
}

TEST(DoctorComparison, NamesNodesWhoseClockCannotBeRight) {
  auto hosts = nodes(3, {{"clock.ms", "100500"}});
  hosts[1].facts.set("clock.ms", "103000");
  hosts[2].facts.set("clock.ms", "98000");
  const auto rows = compare_nodes(hosts, {100'000, 101'000});
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].evidence, "at least 2.0 s ahead of the submit host");
  EXPECT_EQ(rows[0].hosts, Names{"node2"});
  EXPECT_EQ(rows[1].evidence, "at least 2.0 s behind the submit host");
  EXPECT_EQ(rows[2].hosts, Names{"node1"});
}

TEST(DoctorDiagnosis, FoldsAThousandNodesIntoOneScreen) {
  // Names of the same width, as in large clusters.
  auto hosts =
      nodes(1000, {{"tmp.path", "/tmp"}, {"tmp.free", "1048576"}, {"net.mtu", "eth0=1500"}});
  for (std::size_t i = 0; i < 1000; ++i) {
    hosts[i].name = "node" + std::to_string(1000 + i);
    hosts[i].facts.set("name.own", hosts[i].name);
    hosts[i].facts.set("name.addresses", "127.0.1." + std::to_string(i % 250));
  }
  const auto text = to_text(diagnose({hosts}), false, text::Paint(false));
  EXPECT_NE(text.find("error       tmp  node[1000-1999]\n"), std::string::npos) << text;
  EXPECT_NE(text.find("; other values on the other hosts"), std::string::npos);
  EXPECT_LE(std::ranges::count(text, '\n'), 24);
  EXPECT_LT(text.size(), 4000U);
}

TEST(DoctorDiagnosis, KeepsTheErrorAmongRowsThatAreFolded) {
  auto hosts = nodes(6, {{"tmp.path", "/tmp"}});
  for (std::size_t i = 0; i < 6; ++i)
    hosts[i].facts.set("tmp.free", std::to_string((i == 5 ? 1 : 100 + i) << 20));
  EXPECT_EQ(exit_status(diagnose({hosts}), false), 1);
}

TEST(DoctorDiagnosis, NamesASubmitHostThatIsAlsoANodeOnce) {
  const auto facts = healthy_host();
  const auto rows = diagnose({{{"node1", true, false, facts}, {"node1", false, true, facts}}}).rows;
  ASSERT_FALSE(rows.empty());
  for (const auto& row : rows) EXPECT_EQ(row.hosts, Names{"node1"}) << row.about.id;
}

TEST(DoctorDiagnosis, ShowsTheWorstFirst) {
  auto hosts = nodes(1, {{"sysctl.zone_reclaim", "1"}, {"tmp.path", "/tmp"}, {"tmp.free", "1"}});
  const auto rows = diagnose({hosts}).rows;
  ASSERT_GE(rows.size(), 2U);
  EXPECT_EQ(rows[0].about.id, "tmp");
}

TEST(DoctorDiagnosis, HasARowForNodesThatAreSilent) {
  Examination seen{nodes(1, {})};
  seen.silent = {"node2", "node3"};
  const auto diagnosis = diagnose(seen);
  ASSERT_EQ(diagnosis.rows[0].about.id, "nodes");
  EXPECT_EQ(diagnosis.rows[0].hosts, (Names{"node2", "node3"}));
  EXPECT_EQ(exit_status(diagnosis, false), 1);
}

TEST(DoctorDiagnosis, EndsWithOneForErrorsAndForWarningsWhereStrict) {
  const auto status = [](const Facts::Map& facts, bool strict) {
    return exit_status(diagnose({nodes(1, facts)}), strict);
  };
  EXPECT_EQ(status({{"sysctl.zone_reclaim", "0"}}, true), 0);
  EXPECT_EQ(status({{"sysctl.zone_reclaim", "1"}}, false), 0);
  EXPECT_EQ(status({{"sysctl.zone_reclaim", "1"}}, true), 1);
  EXPECT_EQ(status({{"gpu.count", "2"}}, false), 0);
  EXPECT_EQ(status({{"gpu.count", "2"}}, true), 1);
  EXPECT_EQ(status({{"gpu.remap_failed", "0"}}, false), 1);
}

TEST(DoctorText, SaysWhatAnAdministratorRunsWhereAUserCannotSee) {
  const auto text = to_text(diagnose({nodes(1, {{"gpu.count", "2"}})}), false, text::Paint(false));
  EXPECT_NE(text.find("cannot see  gpu-peer-access  node1"), std::string::npos) << text;
  EXPECT_NE(text.find("as root: lspci -vvv | grep ACSCtl"), std::string::npos) << text;
  EXPECT_NE(text.find("1 node (node1): 0 errors, 0 warnings, 1 not checked, 0 ok"),
            std::string::npos);
}

TEST(DoctorText, NamesTheModesOfTheSitesSlurm) {
  Examination seen{nodes(1, {})};
  seen.hosts.push_back({"login", true, false, facts_of({{"slurm.AuthType", "auth/slurm"}})});
  const auto diagnosis = diagnose(seen);
  const auto text = to_text(diagnosis, false, text::Paint(false));
  EXPECT_NE(text.find("modes of this Slurm: auth/slurm\nlogin and 1 node"), std::string::npos)
      << text;
  EXPECT_EQ(nlohmann::json::parse(to_json(diagnosis))["slurm_modes"], Names{"auth/slurm"});
  const auto ordinary = to_text(diagnose({nodes(1, {})}), false, text::Paint(false));
  EXPECT_EQ(ordinary.find("modes"), std::string::npos);
}

TEST(DoctorText, HasEveryRowInJson) {
  const auto json = nlohmann::json::parse(
      to_json(diagnose({nodes(2, {{"sysctl.zone_reclaim", "1"}, {"kernel", "6"}})})));
  EXPECT_EQ(json["version"], 1);
  EXPECT_EQ(json["nodes"], (Names{"node1", "node2"}));
  ASSERT_EQ(json["rows"].size(), 2U);
  EXPECT_EQ(json["rows"][0]["id"], "zone-reclaim");
  EXPECT_EQ(json["rows"][0]["outcome"], "warning");
  EXPECT_EQ(json["rows"][0]["hosts"], (Names{"node1", "node2"}));
  EXPECT_EQ(json["rows"][1]["outcome"], "ok");
}

TEST(DoctorText, HasRootsCommandInJsonForEveryRowThatAUserCannotSee) {
  Diagnosis diagnosis;
  const About without{"id", "why", "fix"};
  const About with{"id", "why", "fix", "lspci"};
  diagnosis.rows = {{without, Outcome::cannot_see, ""},
                    {with, Outcome::cannot_see, ""},
                    {without, Outcome::warning, ""}};
  const auto json = nlohmann::json::parse(to_json(diagnosis));
  EXPECT_EQ(json["rows"][0]["command"], "muster doctor --here");
  EXPECT_EQ(json["rows"][1]["command"], "lspci");
  EXPECT_EQ(json["rows"][2]["command"], "");
}

TEST(DoctorDocument, HasEveryRow) {
  std::ifstream file(MUSTER_SOURCE_DIR "/docs/guides/doctor.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  for (const auto& check : all_checks())
    EXPECT_NE(page.find(fmt::format("`{}`", check.about.id)), std::string::npos) << check.about.id;
  const Facts::Map compared{{"release", "a"},       {"plugin.hash", "a"},  {"muster", "a"},
                            {"config.hash", "a"},   {"pmix.library", "a"}, {"nccl.version", "a"},
                            {"gpu.driver", "a"},    {"gpu.count", "a"},    {"kernel", "a"},
                            {"net.mtu", "a"},       {"ib.rates", "a"},     {"ib.active", "a"},
                            {"limit.memlock", "a"}, {"limit.nofile", "a"}, {"sysctl.ports", "a"},
                            {"memory.gib", "a"},    {"clock.ms", "5"}};
  const auto rows = compare_nodes(nodes(2, compared), {4, 6});
  EXPECT_EQ(rows.size(), compared.size());
  for (const auto& row : rows)
    EXPECT_NE(page.find(fmt::format("`{}`", row.about.id)), std::string::npos) << row.about.id;
}

TEST(DoctorMessage, ComesBackAsItWasSent) {
  const auto facts = facts_of({{"tmp.path", "/tmp/a=b c\n"}, {"empty", ""}});
  const auto answers = read_answers("srun: warning\n" + to_lines("node1", facts));
  ASSERT_TRUE(answers.nodes.contains("node1"));
  EXPECT_EQ(answers.nodes.at("node1").all(), facts.all());
  EXPECT_EQ(answers.other_line, "srun: warning");
}

TEST(DoctorMessage, LeavesOutNodesThatHaveNotFinished) {
  const auto whole = to_lines("node1", facts_of({{"a", "1"}}));
  EXPECT_TRUE(read_answers(whole.substr(0, whole.size() - 6)).nodes.empty());
  EXPECT_TRUE(read_answers("muster-node \nmuster-node\nmuster-node x y\nmuster-node x 0 last y\n")
                  .nodes.empty());
}

// A node of another version must not be left out: it is what the user asks about.
TEST(DoctorMessage, IsReadFromANodeOfAnotherVersionWhichIsNamed) {
  const auto older = facts_of({{"muster", "0.1"}});
  const auto newer = facts_of({{"muster", "0.2"}, {"a.fact.of.tomorrow", "7"}});
  const auto answers = read_answers(to_lines("node1", older) + to_lines("node2", newer));
  ASSERT_EQ(answers.nodes.size(), 2U);
  EXPECT_EQ(answers.nodes.at("node2").all(), newer.all());
  const std::vector<Host> hosts{{"node1", false, true, answers.nodes.at("node1")},
                                {"node2", false, true, answers.nodes.at("node2")}};
  const auto rows = compare_nodes(hosts, {});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].about.id, "muster-version");
}

TEST(DoctorMessage, HasBounds) {
  Facts facts;
  for (std::size_t i = 0; i < 2 * max_facts; ++i)
    facts.set(std::to_string(i), std::string(5000, 'x'));
  EXPECT_EQ(facts.all().size(), max_facts);
  EXPECT_EQ(facts.text("0").size(), max_fact_bytes);
}

}  // namespace
}  // namespace muster::doctor
