#include "launcher/tools/doctor/doctor_step.hpp"

#include "core/doctor/message.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace muster::doctor {
namespace {

using Words = std::vector<std::string>;

bool has(const Words& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

TEST(DoctorStep, TakesTheNodesOfItsJob) {
  StepOrder order;
  order.job = "7";
  order.nodes = {"node1", "node2"};
  order.program = "/usr/bin/muster";
  const auto words = step_command(order, Facts(), {{"SLURM_NNODES", "9"}});
  EXPECT_TRUE(has(words, "--nodelist=node[1-2]") && has(words, "--jobid=7") &&
              has(words, "--overlap"));
  EXPECT_TRUE(has(words, "SLURM_NNODES"));
  EXPECT_EQ(words.back(), "doctor-node");
}

TEST(DoctorStep, HandsTheUsersWordsToSrun) {
  StepOrder order;
  order.srun_options = {"-N3", "-p", "gpu"};
  Facts facts;
  facts.set("plugin.plugstack", "/etc/slurm/plugstack.conf");
  facts.set("slurm.PluginDir", "/usr/lib/slurm");
  const auto words = step_command(order, facts, {});
  EXPECT_TRUE(has(words, "-N3") && has(words, "gpu") && has(words, "--ntasks-per-node=1"));
  EXPECT_FALSE(has(words, "--overlap"));
  EXPECT_EQ(words.back(), "--plugins=/usr/lib/slurm");
  EXPECT_EQ(words[words.size() - 2], "--plugstack=/etc/slurm/plugstack.conf");
}

TEST(DoctorStep, NamesNodesThatHaveNotAnswered) {
  StepOrder order;
  order.srun_options = {"-N3"};
  Facts node;
  node.set("step.nodes", "node[1-3]");
  Facts submit;
  submit.set("slurm.MpiDefault", "pmix");
  submit.set("kernel", "6");
  Examination examination{{{"login", true, false, submit}}};
  take_answers(order, to_lines("node2", node), examination);
  EXPECT_EQ(examination.silent, (Words{"node1", "node3"}));
  EXPECT_EQ(examination.problem, "");
  ASSERT_EQ(examination.hosts.size(), 2U);
  EXPECT_EQ(examination.hosts[1].facts.text("slurm.MpiDefault"), "pmix");
  EXPECT_FALSE(examination.hosts[1].facts.has("kernel"));
}

TEST(DoctorStep, RepeatsSlurmsWordWhereNoNodeAnswers) {
  StepOrder order;
  order.job = "7";
  order.nodes = {"node1"};
  Examination examination;
  take_answers(order, "srun: error: no such partition\n", examination);
  EXPECT_EQ(examination.problem,
            "no node answered within 30 s: srun: error: no such partition (in job 7, "
            "which SLURM_JOB_ID names; if that job is over, unset SLURM_JOB_ID)");
  EXPECT_EQ(examination.silent, Words{"node1"});
}

}  // namespace
}  // namespace muster::doctor
