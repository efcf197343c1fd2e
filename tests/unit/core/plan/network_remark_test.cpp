#include "core/plan/network_remark.hpp"

#include "core/plan/plan.hpp"
#include "core/profile/profile.hpp"

#include <gtest/gtest.h>

namespace muster::plan {
namespace {

profile::Profile with_both() {
  return {.name = "p",
          .summary = {},
          .environment = {{"GLOO", profile::Template::parse("{gloo_ifname}", "here")},
                          {"NCCL", profile::Template::parse("{socket_ifname}", "here")},
                          {"RANK", profile::Template::parse("{rank}", "here")}}};
}

std::string remark(const NodeNetwork& network, std::vector<EnvVar> planned = {}) {
  NodePlan plan{.node = "node1", .node_rank = 0, .tasks = {}, .warnings = {}};
  plan.tasks.emplace_back().variables = std::move(planned);
  return network_remark(plan, network, with_both());
}

TEST(NetworkRemark, NamesWhatIsNotSetBecauseItWouldSelectAnotherAddress) {
  const NodeNetwork network{
      .interface = "eth0", .address = "10.9.0.1", .has_other_first_address = true};
  const auto text = remark(network);
  EXPECT_NE(text.find("eth0 has several addresses"), std::string::npos) << text;
  EXPECT_NE(text.find("muster does not set GLOO and NCCL,"), std::string::npos) << text;
  EXPECT_NE(remark(network, {{"GLOO", "lo", Origin::user}}).find("not set NCCL,"),
            std::string::npos);
}

TEST(NetworkRemark, IsEmptyWhereEverythingIsSet) {
  EXPECT_EQ(remark({.interface = "eth0", .address = "10.0.0.1"}), "");
  EXPECT_EQ(remark({.interface = "eth0", .address = "10.9.0.1", .has_other_first_address = true},
                   {{"GLOO", "ib0", Origin::user}, {"NCCL", "ib0", Origin::site}}),
            "");
}

}  // namespace
}  // namespace muster::plan
