#include "launcher/agent/node/variable_policy.hpp"

#include "core/error.hpp"
#include "core/option/variable_policy.hpp"
#include "fixtures/scratch_directory.hpp"

#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <sys/stat.h>

namespace muster::node {
namespace {

class VariablePolicyOnANode : public testing::Test {
 protected:
  VariablePolicyOnANode() {
    for (const char* place : {"etc", "home", "job"})
      std::filesystem::create_directories(scratch_.path(place));
  }

  // Empty if the user has set nothing that is forbidden.
  [[nodiscard]] std::string refusal(const std::string& conf_file = {}) const {
    const option::VariablePolicy policy{
        .forbid = {{.name = "NCCL_P2P_DISABLE", .value = "1", .where = "site.yaml:3:14"}}};
    Environment environment{{"HOME", scratch_.path("home")}};
    if (!conf_file.empty()) environment.set("NCCL_CONF_FILE", conf_file);
    try {
      check_variables(policy, environment, scratch_.path("job"), scratch_.path());
    } catch (const Error& error) {
      return error.what();
    }
    return {};
  }

  fixtures::ScratchDirectory scratch_;
};

TEST_F(VariablePolicyOnANode, SeesTheUsersFile) {
  scratch_.write("home/.nccl.conf", "# mine\nNCCL_P2P_DISABLE=1\n");
  EXPECT_NE(refusal().find("home/.nccl.conf:2: NCCL_P2P_DISABLE=1: the site's policy forbids this "
                           "value (site.yaml:3:14)"),
            std::string::npos);
}

TEST_F(VariablePolicyOnANode, LeavesTheSitesOwnFileAlone) {
  scratch_.write("etc/nccl.conf", "NCCL_P2P_DISABLE=1\n");
  EXPECT_EQ(refusal(), "");
  scratch_.write("etc/cluster.conf", "NCCL_P2P_DISABLE=1\n");
  EXPECT_EQ(refusal(scratch_.path("etc/cluster.conf")), "");
}

TEST_F(VariablePolicyOnANode, TakesNoPathOfTheUsersForTheSites) {
  scratch_.write("home/nccl.conf", "NCCL_P2P_DISABLE=1\n");
  EXPECT_NE(refusal(scratch_.path("etc/../home/nccl.conf")), "");
  EXPECT_NE(refusal("../home/nccl.conf"), "") << "as the ranks find it, from their directory";
  std::filesystem::create_symlink(scratch_.path("home"), scratch_.path("etc/shared"));
  EXPECT_NE(refusal(scratch_.path("etc/shared/nccl.conf")), "");
}

TEST_F(VariablePolicyOnANode, ReadsAFileAsFarAsNcclDoes) {
  const std::string line = "NCCL_P2P_DISABLE=1\n";
  scratch_.write("home/.nccl.conf", "# " + std::string(5000, 'x') + "\n" + line);
  EXPECT_NE(refusal(), "") << "behind a long line";
  scratch_.write("home/.nccl.conf", std::string(2000, '\n') + line);
  EXPECT_NE(refusal(), "") << "behind many lines";
  scratch_.write("home/.nccl.conf", std::string(5000, 'x') + "=1\n" + line);
  EXPECT_NE(refusal(), "") << "behind a long name";
}

TEST_F(VariablePolicyOnANode, RefusesAFileThatItCannotReadWhole) {
  scratch_.write("home/.nccl.conf", std::string(3 << 20, '\n') + "NCCL_P2P_DISABLE=1\n");
  EXPECT_NE(refusal().find(".nccl.conf: larger than 1 MiB"), std::string::npos) << refusal();
  std::filesystem::remove(scratch_.path("home/.nccl.conf"));
  mkfifo(scratch_.path("home/pipe").c_str(), S_IRUSR | S_IWUSR);
  EXPECT_NE(refusal(scratch_.path("home/pipe")).find("not a regular file"), std::string::npos);
  EXPECT_NE(refusal("/proc/self/fd/0").find("not a regular file"), std::string::npos);
  EXPECT_EQ(refusal("/dev/null"), "") << "a usual way to have no file";
  EXPECT_EQ(refusal(scratch_.path("home/none")), "");
}

TEST_F(VariablePolicyOnANode, SeesWhatUcxReadsWhereTheRanksStart) {
  scratch_.write("job/ucx.conf", "NCCL_P2P_DISABLE=1\n");
  EXPECT_NE(refusal(), "");
}

}  // namespace
}  // namespace muster::node
