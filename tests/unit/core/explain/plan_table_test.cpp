// A step's plan as people and programs see it, and as the nodes send it.
#include "core/error.hpp"
#include "core/explain/plan_view.hpp"
#include "core/explain/rank_table.hpp"
#include "fixtures/expect_error.hpp"
#include "fixtures/random_record.hpp"
#include "fixtures/random_text.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace muster::explain {
namespace {

plan::TaskPlan task(std::uint32_t procid, std::uint32_t rank, std::uint32_t local) {
  plan::TaskPlan plan{.procid = procid,
                      .rank = rank,
                      .local_rank = local,
                      .index = local,
                      .variables = {},
                      .resources = {}};
  plan.variables = {{"RANK", std::to_string(rank), Origin::slurm, true},
                    {"MASTER_ADDR", "10.0.0.1", Origin::rendezvous},
                    {"OMP_NUM_THREADS", "4", Origin::user}};
  plan.resources.cpus = CpuSet::range(4 * local, 4 * local + 3);
  plan.resources.numa = CpuSet{local};
  plan.resources.memory.mode = wire::MemoryPolicy::Mode::preferred;
  plan.resources.gpus = {{3 - local, "0000:07:00.0", "GPU-abc"}};
  plan.resources.nics = {"mlx5_0"};
  return plan;
}

plan::StepPlan example() {
  plan::NodePlan first{.node = "node1",
                       .node_rank = 0,
                       .tasks = {task(0, 0, 0), task(2, 1, 1)},
                       .warnings = {"careful"}};
  plan::NodePlan second{.node = "node2", .node_rank = 1, .tasks = {task(1, 2, 0)}, .warnings = {}};
  return {"torch", {"10.0.0.1", 29500, Origin::slurm}, {first, second}};
}

TEST(PlanAsJson, IsVersion1OfTheDesign) {
  const auto json = nlohmann::json::parse(to_json(example()));
  EXPECT_EQ(json.at("version"), 1);
  EXPECT_EQ(json.at("profile"), "torch");
  EXPECT_EQ(json.at("master"),
            nlohmann::json::parse(R"({"addr": "10.0.0.1", "port": 29500, "node": "node1"})"));
  EXPECT_EQ(json.at("warnings"), nlohmann::json::parse(R"(["careful"])"));
  ASSERT_EQ(json.at("ranks").size(), 3U);
  EXPECT_EQ(json.at("ranks").at(1), nlohmann::json::parse(R"({
    "rank": 1, "procid": 2, "local_rank": 1, "node_rank": 0, "node": "node1",
    "cpus": "4-7", "numa": "1", "memory": "preferred",
    "gpus": [{"index": 2, "busid": "0000:07:00.0", "uuid": "GPU-abc"}], "nics": ["mlx5_0"],
    "env": {"RANK": {"value": "1", "origin": "slurm"},
            "MASTER_ADDR": {"value": "10.0.0.1", "origin": "rendezvous"},
            "OMP_NUM_THREADS": {"value": "4", "origin": "user"}}})"));
}

TEST(PlanAsJson, HasItsFieldsInTheOrderOfReading) {
  auto plan = example();
  plan.logs = "logs/7.0";
  plan.spares = {"node3"};
  const auto json = nlohmann::ordered_json::parse(to_json(plan));
  std::vector<std::string> names;
  for (const auto& field : json.items()) names.push_back(field.key());
  EXPECT_EQ(names, (std::vector<std::string>{"version", "profile", "master", "ranks", "warnings",
                                             "logs", "spares"}));
}

TEST(PlanAsJson, IsValidWhateverTheUserExported) {
  auto plan = example();
  plan.nodes[0].tasks[0].variables[2].value = "\xff\x01\"";
  EXPECT_NO_THROW(nlohmann::json::parse(to_json(plan)));
  plan.nodes[0].tasks[0].resources.gpus = {{std::nullopt, "", std::nullopt}};
  const auto json = nlohmann::json::parse(to_json(plan));
  EXPECT_TRUE(json.at("ranks").at(0).at("gpus").at(0).at("uuid").is_null());
}

TEST(PlanOnItsWay, ComesBackTheSame) {
  const auto plan = example();
  std::vector<std::string> texts;
  for (const auto& node : plan.nodes) {
    texts.insert(texts.begin(), to_text(node, plan.rendezvous, plan.profile));
  }
  EXPECT_EQ(to_json(plan::step_plan_from_texts(texts)), to_json(plan));
  EXPECT_EQ(to_table(plan::step_plan_from_texts(texts), {}), to_table(plan, {}));
}

TEST(PlanOnItsWay, BringsThePlaceOfASitesValue) {
  auto plan = example();
  for (auto& node : plan.nodes) {
    for (auto& task : node.tasks) {
      task.variables.push_back({"NCCL_NET", "IB", Origin::site});
      task.variables.back().where = "muster.yaml:3:9";
    }
  }
  std::vector<std::string> texts;
  for (const auto& node : plan.nodes) texts.push_back(to_text(node, plan.rendezvous, plan.profile));
  const auto arrived = plan::step_plan_from_texts(texts);
  EXPECT_NE(to_table(arrived, {}).find("IB (muster.yaml:3:9)\n"), std::string::npos);
  const auto json = nlohmann::json::parse(to_json(arrived));
  EXPECT_EQ(
      json.at("ranks").at(2).at("env").at("NCCL_NET"),
      nlohmann::json::parse(R"({"value": "IB", "origin": "site", "where": "muster.yaml:3:9"})"));
}

TEST(PlanOnItsWay, BringsTheDrawingOfTheNodeThatIsToBeSeen) {
  const auto plan = example();
  const plan::Drawing drawing{"<topology/>", true};
  const auto& [first, second] = std::pair(plan.nodes[0], plan.nodes[1]);
  const auto read =
      plan::step_plan_from_texts({to_text(first, plan.rendezvous, plan.profile),
                                  to_text(second, plan.rendezvous, plan.profile, drawing)});
  EXPECT_EQ(read.drawings, (std::map<std::string, plan::Drawing>{{"node2", drawing}}));
}

void expect_refused(const std::string& text) {
  fixtures::expect_error([&] { plan::step_plan_from_texts({text}); },
                         "is the same muster version installed on every node?");
}

TEST(PlanOnItsWay, IsRefusedTruncatedLengthenedAndFromAnotherVersion) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    auto node = example().nodes[0];
    for (auto& task : node.tasks) {
      for (const unsigned number : {0U, 1U, seed % 2})
        task.variables.push_back(fixtures::random_value<EnvVar>(seed + number));
    }
    const auto drawing = fixtures::random_value<plan::Drawing>(seed);
    const auto text = to_text(node, {}, "torch", drawing);
    const auto arrived = plan::step_plan_from_texts({text});
    for (auto& task : node.tasks) task.variables.front().identity = false;  // is not sent
    EXPECT_EQ(arrived.nodes.at(0).tasks.at(1).variables, node.tasks[1].variables);
    EXPECT_EQ(arrived.drawings.at("node1"), drawing);
    for (std::size_t size = 0; size < text.size(); size += 1 + size / 16)
      expect_refused(text.substr(0, size));
    expect_refused(text + "0 ");
    expect_refused('1' + text);
  }
}

TEST(PlanOnItsWay, IsReadOrAnErrorWhateverTheText) {
  fixtures::RandomText random(3);
  const auto text = to_text(example().nodes[0], {}, "torch");
  for (int i = 0; i < 2000; ++i) {
    try {
      plan::step_plan_from_texts({random.mutate(random.mutate(text))});
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("arrived truncated"), std::string::npos);
    }
  }
}

TEST(PlanOnItsWay, IsAnErrorWithANumberThatDoesNotFit) {
  const auto text = to_text(example().nodes[0], {"10.0.0.1", 29500}, "torch");
  for (const auto* const wrong :
       {"-1 ", "1.5 ", "65536 ", "4294967296 ", "99999999999999999999 "}) {
    auto damaged = text;
    damaged.replace(damaged.find("29500 "), 6, wrong);
    EXPECT_THROW(plan::step_plan_from_texts({damaged}), Error) << wrong;
  }
}

TEST(PlanAsTable, ShowsPlacesThenVariablesWithTheirOrigins) {
  EXPECT_EQ(to_table(example(), {}),
            R"(profile torch: 3 ranks on 2 nodes, rendezvous at 10.0.0.1, port 29500 (node1)

  rank  node   local  CPUs  memory  GPUs              NICs
  0     node1  0      0-3   0       3 (0000:07:00.0)  mlx5_0
  1     node1  1      4-7   1       2 (0000:07:00.0)  mlx5_0
  2     node2  0      0-3   0       3 (0000:07:00.0)  mlx5_0

  every rank       from        value
  MASTER_ADDR      rendezvous  10.0.0.1
  OMP_NUM_THREADS  user        4

  by rank  from   value
  RANK     slurm  0 1 2

warning: careful
)");
}

TEST(PlanAsTable, TellsMemoryThatIsRefusedFromMemoryThatIsPreferred) {
  auto plan = example();
  plan.nodes[1].tasks[0].resources.memory.mode = wire::MemoryPolicy::Mode::bind;
  const auto table = to_table(plan, {});
  EXPECT_NE(table.find("4-7   1       2"), table.npos) << table;
  EXPECT_NE(table.find("0-3   0 only  3"), table.npos) << table;
}

plan::StepPlan nodes_of_two(std::size_t nodes) {
  plan::StepPlan plan{"torch", {"10.0.0.1", 29500}, {}};
  for (std::uint32_t i = 0; i < nodes; ++i) {
    plan.nodes.push_back({fmt::format("node{}", i + 1),
                          i,
                          {task(2 * i, 2 * i, 0), task(2 * i + 1, 2 * i + 1, 1)},
                          {}});
  }
  return plan;
}

TEST(PlanAsTable, TellsOfNodesThatAreAlikeOnlyOne) {
  auto plan = nodes_of_two(5);
  plan.nodes[3].tasks[1].resources.cpus = {7};
  EXPECT_EQ(rank_table(plan, text::Paint(false)),
            R"(  rank  node                       local  CPUs      memory  GPUs              NICs
  0     node1                      0      0-3       0       3 (0000:07:00.0)  mlx5_0
  1     node1                      1      4-7       1       2 (0000:07:00.0)  mlx5_0
  2-5   node2 ... node3 (2 nodes)         as node1
  6     node4                      0      0-3       0       3 (0000:07:00.0)  mlx5_0
  7     node4                      1      7         1       2 (0000:07:00.0)  mlx5_0
  8     node5                      0      0-3       0       3 (0000:07:00.0)  mlx5_0
  9     node5                      1      4-7       1       2 (0000:07:00.0)  mlx5_0
)");
}

TEST(PlanAsTable, TellsOfEveryRankWhereRanksGoRoundTheNodes) {
  auto plan = nodes_of_two(2);
  std::swap(plan.nodes[0].tasks[1].rank, plan.nodes[1].tasks[0].rank);
  const auto table = rank_table(plan, text::Paint(false));
  EXPECT_EQ(table.find("as node"), table.npos) << table;
  EXPECT_EQ(std::ranges::count(table, '\n'), 5) << table;
}

TEST(PlanAsTable, GivesEachGpuOfARankALine) {
  auto plan = nodes_of_two(1);
  auto& own = plan.nodes[0].tasks[0].resources;
  own.gpus.push_back({7, "0000:08:00.0", {}});
  own.nics = {"mlx5_0", "mlx5_1", "mlx5_2"};
  EXPECT_EQ(rank_table(plan, text::Paint(false)),
            R"(  rank  node   local  CPUs  memory  GPUs              NICs
  0     node1  0      0-3   0       3 (0000:07:00.0)  mlx5_0, mlx5_1
                                    7 (0000:08:00.0)  mlx5_2
  1     node1  1      4-7   1       2 (0000:07:00.0)  mlx5_0
)");
}

TEST(PlanAsTable, LeavesOutColumnsThatSayNothingAndCutsLongLists) {
  plan::StepPlan plan{"torch", {"10.0.0.1", 29500}, {plan::NodePlan{"node1", 0, {}, {}}}};
  for (std::uint32_t i = 0; i < 20; ++i) {
    plan.nodes[0].tasks.push_back(task(i, i, i));
    plan.nodes[0].tasks.back().resources = {};
  }
  const auto table = to_table(plan, {});
  EXPECT_EQ(table.find("GPUs"), std::string::npos);
  EXPECT_NE(table.find("as Slurm binds"), std::string::npos);
  EXPECT_NE(table.find("14 15 ... (+4)"), std::string::npos);
}

TEST(PlanAsTable, SaysWhichNodesTakeTheNextPlaces) {
  auto plan = example();
  plan.spares = {"node3", "node4"};
  EXPECT_NE(to_table(plan, {}).find(
                "\nspares: node3 replaces the first node that is lost, node4 the next; "
                "each takes over the ranks of the node that it replaces\n"),
            std::string::npos);
  plan.spares = {"node3"};
  EXPECT_NE(to_table(plan, {}).find("\nspares: node3 replaces the first node that is lost; "
                                    "it takes over the ranks of the node that it replaces\n"),
            std::string::npos);
  EXPECT_EQ(to_table(example(), {}).find("spares"), std::string::npos);
}

TEST(PlanAsJson, NamesSparesWhereThereAreAny) {
  auto plan = example();
  EXPECT_EQ(to_json(plan).find("spares"), std::string::npos);
  plan.spares = {"node3"};
  EXPECT_EQ(nlohmann::json::parse(to_json(plan)).at("spares"), nlohmann::json({"node3"}));
}

TEST(PlanAsTable, IsColouredOnlyOnRequest) {
  EXPECT_EQ(to_table(example(), {false}).find('\033'), std::string::npos);
  EXPECT_NE(to_table(example(), {true}).find('\033'), std::string::npos);
}

}  // namespace
}  // namespace muster::explain
