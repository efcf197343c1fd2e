#include "core/torchrun/run.hpp"

#include "fixtures/expect_error.hpp"

#include <csignal>

#include <gtest/gtest.h>

namespace muster::torchrun {
namespace {

using List = std::vector<std::string>;
using fixtures::expect_error;

Words of_nproc(const char* value) {
  Words words;
  words.nproc_per_node = value;
  return words;
}

TEST(Words, OfTheCommandLineWinOverVariables) {
  const auto words = with_variables(
      of_nproc("2"), {{"PET_NPROC_PER_NODE", "4"}, {"PET_ROLE", "trainer"}, {"PET_MODULE", "1"}});
  EXPECT_EQ(words.nproc_per_node, "2");
  EXPECT_EQ(words.role, "trainer");
  EXPECT_TRUE(words.module);
  expect_error([] { with_variables({}, {{"PET_STANDALONE", "yes"}}); }, "PET_STANDALONE");
}

TEST(Nodes, AreOneOrARange) {
  const auto nodes = [](const char* text) {
    Words words;
    words.nnodes = text;
    return nodes_of(words);
  };
  EXPECT_EQ(nodes_of({}), Nodes{});
  EXPECT_EQ(nodes("2"), (Nodes{2, 2}));
  EXPECT_EQ(nodes("1:4"), (Nodes{1, 4}));
  for (const auto* const wrong : {"0", "4:2", "x", "", "1:", ":2", "-1", "1:2:3"}) {
    expect_error([&] { nodes(wrong); }, "--nnodes");
  }
}

TEST(Ranks, AreANumberOrWhatTheMachineHas) {
  const Machine cpus{.cpus = 8, .gpus = 0};
  const Machine gpus{.cpus = 8, .gpus = 4};
  EXPECT_EQ(ranks_per_node({}, gpus), 1U);
  EXPECT_EQ(ranks_per_node(of_nproc("3"), cpus), 3U);
  EXPECT_EQ(ranks_per_node(of_nproc("cpu"), gpus), 8U);
  EXPECT_EQ(ranks_per_node(of_nproc("auto"), cpus), 8U);
  EXPECT_EQ(ranks_per_node(of_nproc("auto"), gpus), 4U);
  EXPECT_EQ(ranks_per_node(of_nproc("gpu"), gpus), 4U);
  EXPECT_EQ(ranks_per_node(of_nproc("xpu"), gpus), 4U);
  expect_error([&] { ranks_per_node(of_nproc("gpu"), cpus); }, "no GPU");
  expect_error([&] { ranks_per_node(of_nproc("xpu"), cpus); }, "ZE_AFFINITY_MASK");
  for (const auto* const wrong : {"0", "-1", "x", "", "99999999", "2.0"}) {
    expect_error([&] { ranks_per_node(of_nproc(wrong), cpus); }, "--nproc-per-node");
  }
}

TEST(Command, HasPythonInFrontOfAScript) {
  Words words;
  words.program = {"train.py", "--nproc-per-node", "a b", ""};
  EXPECT_EQ(command_of(words, {}, "python3"),
            (List{"python3", "-u", "train.py", "--nproc-per-node", "a b", ""}));
  EXPECT_EQ(command_of(words, {{"PYTHON_EXEC", "/opt/python"}}, "python3").front(), "/opt/python");
  words.module = true;
  EXPECT_EQ(command_of(words, {}, "python")[2], "-m");
  words.no_python = true;
  expect_error([&] { command_of(words, {}, "python"); }, "--no-python");
  words.run_path = true;
  EXPECT_EQ(command_of(words, {}, "python")[2], "train.py");
  words.run_path = false;
  words.module = false;
  EXPECT_EQ(command_of(words, {}, "python"), words.program);
}

TEST(Run, TurnsFlagsIntoKeysAndVariables) {
  Words words;
  words.max_restarts = "3";
  words.numa_binding = "node";
  words.shutdown_timeout = "12.5";
  words.tee = "3";
  words.log_dir = "out";
  words.role = "trainer";
  words.master_port = "29501";
  words.rdzv_id = "job1";
  words.signals_to_handle = "SIGTERM,SIGUSR1";
  const auto run = run_of(words, 2);
  EXPECT_EQ(run.option, "restarts=3,grace=12,bind=numa,logs=out,view=all,prefix=rank");
  EXPECT_EQ(run.variables, (decltype(run.variables){{"ROLE_NAME", "trainer"},
                                                    {"MASTER_PORT", "29501"},
                                                    {"TORCHELASTIC_RUN_ID", "job1"}}));
  EXPECT_EQ(run.ending_signals, (std::vector<int>{SIGTERM, SIGUSR1}));
  EXPECT_FALSE(run.wants_directory);
}

TEST(Run, AloneOnItsMachineMeetsWhereMusterSays) {
  Words words;
  words.standalone = true;
  words.master_port = "29501";
  words.rdzv_id = "job1";
  EXPECT_TRUE(run_of(words, 1).variables.empty());
}

TEST(Run, NeedsADirectoryForFilesWithoutAPlace) {
  Words words;
  words.redirects = "3";
  EXPECT_TRUE(run_of(words, 2).wants_directory);
}

TEST(Run, RefusesWhatIsNotThereAndSaysWhatIs) {
  const auto refused = [](auto set, const char* part) {
    Words words;
    set(words);
    expect_error([&] { run_of(words, 1); }, part);
  };
  refused([](Words& words) { words.virtual_local_rank = true; }, "gpus=own");
  refused([](Words& words) { words.logs_specs = "x"; }, "--logs-specs");
  refused([](Words& words) { words.duplicate_stdout_filters = "x"; }, "grep");
  refused([](Words& words) { words.event_log_handler = "console"; }, "report=");
  refused([](Words& words) { words.rdzv_backend = "etcd-v2"; }, "--rdzv-backend");
  refused([](Words& words) { words.start_method = "x"; }, "forkserver");
  refused([](Words& words) { words.max_restarts = "-1"; }, "--max-restarts");
  refused([](Words& words) { words.numa_binding = "foo"; }, "core-complex");
  refused([](Words& words) { words.signals_to_handle = "SIGKILL"; }, "SIGKILL");
  refused([](Words& words) { words.signals_to_handle = "SIGFOO"; }, "SIGFOO");
  refused([](Words& words) { words.log_dir = "a,b"; }, "comma");
  refused([](Words& words) { words.monitor_interval = "soon"; }, "--monitor-interval");
  refused([](Words& words) { words.master_port = "70000"; }, "--master-port");
}

TEST(SeveralNodes, AreOneWhereOneIsEnoughAndNoOtherIsNamed) {
  Words words;
  EXPECT_TRUE(one_is_enough(words, {1, 4}));
  EXPECT_FALSE(one_is_enough(words, {2, 4}));
  words.rdzv_endpoint = "localhost:29400";
  EXPECT_TRUE(one_is_enough(words, {1, 4}));
  words.rdzv_endpoint = "node1:29400";
  EXPECT_FALSE(one_is_enough(words, {1, 4}));
}

TEST(SeveralNodes, WithoutAnAllocationAreAnotherCommands) {
  const auto line = several_nodes_text({}, {2, 2});
  EXPECT_NE(line.find("salloc --nodes=2 muster run"), std::string::npos) << line;
  EXPECT_TRUE(fixtures::is_one_line(line));
}

TEST(Srun, HasTheLayoutAndTheKeys) {
  EXPECT_EQ(
      srun_of({.nodes = {2, 2}, .ranks_per_node = 4, .cpus_per_rank = 8, .option = "restarts=1"},
              {"python", "-u", "train.py"}),
      (List{"srun", "--nodes=2", "--ntasks=8", "--ntasks-per-node=4", "--overlap",
            "--cpus-per-task=8", "--distributed=torch,restarts=1", "python", "-u", "train.py"}));
  EXPECT_EQ(srun_of({.nodes = {1, 3}}, {"a"}),
            (List{"srun", "--nodes=3", "--ntasks=3", "--ntasks-per-node=1", "--overlap",
                  "--distributed=torch,nodes=1:3", "a"}));
  EXPECT_EQ(srun_of({.profile = "jax", .option = "explain"}, {"a"}).at(5),
            "--distributed=jax,explain");
}

TEST(Srun, StartsMusterExecIfItHasNoPlugin) {
  EXPECT_EQ(srun_of({.nodes = {2, 2}, .muster = "/opt/muster"}, {"a", "--", "b"}),
            (List{"srun", "--nodes=2", "--ntasks=2", "--ntasks-per-node=1", "--overlap",
                  "--kill-on-bad-exit", "/opt/muster", "exec", "--distributed=torch", "--", "a",
                  "--", "b"}));
}

}  // namespace
}  // namespace muster::torchrun
