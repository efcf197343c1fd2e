#include "launcher/node/variable_policy.hpp"

#include "core/error.hpp"
#include "core/option/variable_policy.hpp"
#include "fixtures/scratch_directory.hpp"

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

namespace muster::node {
namespace {

class VariablePolicyOnANode : public testing::Test {
 protected:
  VariablePolicyOnANode() {
    for (const char* place : {"etc", "home"})
      std::filesystem::create_directories(scratch_.path(place));
  }

  [[nodiscard]] std::string refusal() const {
    const option::VariablePolicy policy{
        .forbid = {{.name = "NCCL_P2P_DISABLE", .value = "1", .where = "site.yaml:3:14"}}};
    try {
      check_variables(policy, {{"HOME", scratch_.path("home")}}, scratch_.path());
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
}

}  // namespace
}  // namespace muster::node
