#include "launcher/tools/health/check_step.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::health {
namespace {

using namespace std::chrono_literals;
using Words = std::vector<std::string>;

const CheckStep step{"/usr/bin/srun", "42", "/opt/muster"};
const Words nodes{"node1", "node2", "node4"};

bool has(const Words& words, const std::string& word) {
  return std::ranges::find(words, word) != words.end();
}

bool unsets(const Words& words, const std::string& name) {
  const auto found = std::ranges::find(words, name);
  return found != words.end() && found != words.begin() && *(found - 1) == "-u";
}

TEST(CheckCommand, IsAStepOfOneTaskOnEachNodeBesideOthers) {
  const auto words = check_command(step, {}, nodes, {});
  for (const auto* const word : {"--jobid=42", "--overlap", "--nodes=3", "--ntasks=3",
                                 "--ntasks-per-node=1", "--nodelist=node[1-2,4]"}) {
    EXPECT_TRUE(has(words, word)) << word;
  }
  const auto program = std::ranges::find(words, "/opt/muster");
  EXPECT_EQ(Words(program, words.end()), (Words{"/opt/muster", "check-node", "--steps="}));
}

TEST(CheckCommand, HandsTheOrderOn) {
  const auto words = check_command(
      step, {.steps = {"42.0", "42.3"}, .gpus = true, .health = "./a check", .health_timeout = 7s},
      nodes, {});
  const auto program = std::ranges::find(words, "check-node");
  EXPECT_EQ(Words(program, words.end()), (Words{"check-node", "--steps=42.0,42.3", "--gpus",
                                                "--health=./a check", "--health-timeout=7"}));
}

TEST(CheckCommand, LeavesNothingInTheEnvironmentThatShapesAStepOrStartsMuster) {
  const auto words = check_command(step, {}, nodes,
                                   {{"SLURM_NTASKS_PER_NODE", "2"},
                                    {"SLURM_MUSTER_REQUEST", "{}"},
                                    {"SLURMD_NODENAME", "node1"},
                                    {"SRUN_CPUS_PER_TASK", "4"},
                                    {"_SLURM_SPANK_OPTION_pyxis_container_image", "x"},
                                    {"MUSTER_DISTRIBUTED", "torch"},
                                    {"SLURM_CONF", "/etc/slurm.conf"},
                                    {"HOME", "/home/alice"}});
  for (const auto* const name : {"SLURM_NTASKS_PER_NODE", "SLURM_MUSTER_REQUEST", "SLURMD_NODENAME",
                                 "SRUN_CPUS_PER_TASK", "MUSTER_DISTRIBUTED"}) {
    EXPECT_TRUE(unsets(words, name)) << name;
  }
  EXPECT_FALSE(has(words, "SLURM_CONF"));
  EXPECT_FALSE(has(words, "HOME"));
}

TEST(AskNodes, ReadsWhatTheNodesSay) {
  const CheckStep echo{"/bin/echo", "42",
                       "\n" + restart::to_line({"node1", 0, false, restart::Health::well, ""})};
  const auto checks = ask_nodes(echo, {.health = "check"}, nodes, {});
  EXPECT_EQ(checks.asked, nodes);
  EXPECT_EQ(checks.answers,
            (std::vector<restart::NodeCheck>{{"node1", 0, false, restart::Health::well, ""}}));
}

TEST(AskNodes, SaysWhyNoneHasAnswered) {
  EXPECT_EQ(ask_nodes({"/bin/false", "42", ""}, {.health = "check"}, nodes, {}).silence,
            "no answer");
  EXPECT_EQ(ask_nodes({"/bin/echo", "42", "\nmuster"}, {}, Words{"node1"}, {}).silence.substr(0, 8),
            "--jobid=");
}

TEST(AskNodes, StartsNothingForNoNodes) {
  EXPECT_EQ(ask_nodes({"/bin/echo", "42", ""}, {}, {}, {}).silence, "no answer");
}

}  // namespace
}  // namespace muster::health
