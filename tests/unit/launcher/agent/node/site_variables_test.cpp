// From a site's file and a /sys tree to a node's variables.
#include "launcher/agent/node/site_variables.hpp"

#include "core/plan/node_plan.hpp"
#include "fixtures/made_up_fabric.hpp"
#include "fixtures/samples.hpp"
#include "fixtures/scratch_directory.hpp"
#include "launcher/agent/node/variable_remark.hpp"
#include "launcher/site/site.hpp"

#include <filesystem>

#include <gtest/gtest.h>

namespace muster::node {
namespace {

using fabric::Fabric;

NodeVariables variables_of(const std::string& config, const std::string& root,
                           const Environment& environment = {}) {
  const site::Site site({.config = config, .trust_any_owner = true}, environment, false);
  return site_variables(
      {.site = site, .environment = environment, .node = "node1", .nodes = 2, .root = root});
}

TEST(Samples, AreChosenByTheTreeOfTheirFabricAndOnlyByIt) {
  for (const auto& [word, fabric] : fabric::fabric_names) {
    const fixtures::ScratchDirectory root;
    const fixtures::MadeUpSys sys(root.path());
    make_up(sys, fabric);
    for (const auto* const file :
         {"var/lib/tcpxo/lib64/nccl-env-profile.sh", "usr/local/gib/scripts/set_nccl_env.sh"})
      sys.file(file, "");
    for (const auto& [name, its_own] : fixtures::samples()) {
      const auto found =
          variables_of(MUSTER_SOURCE_DIR "/config/samples/" + name + ".yaml", root.path());
      EXPECT_EQ(found.others.site.empty(), its_own != fabric) << name << " on " << word;
    }
  }
}

class NodeOfASite : public testing::Test {
 protected:
  NodeVariables with(const std::string& rules, const Environment& environment = {}) {
    return variables_of(directory_.write("muster.yaml", "variables:\n" + rules), directory_.path(),
                        environment);
  }
  fixtures::ScratchDirectory directory_;
  fixtures::MadeUpSys sys_{directory_.path()};
};

TEST_F(NodeOfASite, HasTheVariablesOfItsRulesWithTheirPlaces) {
  const auto found = with("  - set: {A: 1}\n  - {partition: cpu, set: {A: 2, B: 3}}\n",
                          {{"SLURM_JOB_PARTITION", "cpu"}});
  ASSERT_EQ(found.others.site.size(), 2U);
  EXPECT_EQ(found.others.site[0].value, "1");
  EXPECT_EQ(found.others.site[1].where, directory_.path("muster.yaml") + ":3:34");
}

TEST_F(NodeOfASite, IsAskedForFilesOnlyBelowItsRoot) {
  const auto rule = "  - {exists: /dev/kdreg2, set: {A: 1}}\n";
  EXPECT_TRUE(with(rule).others.site.empty());
  sys_.file("dev/kdreg2", "");
  EXPECT_EQ(with(rule).others.site.size(), 1U);
}

TEST_F(NodeOfASite, LeavesOutARuleWhoseVariableAFileOfNcclsHas) {
  sys_.file("etc/nccl.conf", "NCCL_NET_PLUGIN=none");
  EXPECT_TRUE(with("  - {unless: [NCCL_NET_PLUGIN], set: {A: 1}}\n").others.site.empty());
  EXPECT_TRUE(with("  - {unless: [B], set: {A: 1}}\n", {{"B", "1"}}).others.site.empty());
}

TEST_F(NodeOfASite, SaysWhichScriptFailedAndWhichRuleNamesIt) {
  const auto found = with("  - {script: /none/profile.sh, set: {A: 1}}\n");
  EXPECT_EQ(found.others.site.size(), 1U);
  ASSERT_EQ(found.warnings.size(), 1U);
  EXPECT_EQ(found.warnings[0],
            "/none/profile.sh: there is no such file on this node; install it, or add 'exists: "
            "/none/profile.sh' (" +
                directory_.path("muster.yaml") +
                ":2:5); the ranks start without the script's variables");
}

TEST_F(NodeOfASite, IsToldOfObsoleteVariablesInOneLineWithTheirPlace) {
  sys_.file("etc/nccl.conf", "# old\nNCCL_IB_RETRY_CNT=15\nNCCL_P2P_DISABLE=1");
  plan::NodePlan plan;
  plan.tasks.resize(1);
  EXPECT_EQ(variable_remark(plan, {}, 2, directory_.path()),
            "NCCL_IB_RETRY_CNT=15 (" + directory_.path("etc/nccl.conf") +
                ":2): the field has three bits: 0 to 7; NCCL_IB_RETRY_CNT=7, or unset it (1 more: "
                "muster doctor)");
  plan.tasks[0].variables.push_back({"NCCL_IB_RETRY_CNT", "7", Origin::site});
  plan.tasks[0].variables.push_back({"NCCL_P2P_DISABLE", "0", Origin::user});
  EXPECT_EQ(variable_remark(plan, {}, 2, directory_.path()), "");
}

}  // namespace
}  // namespace muster::node
