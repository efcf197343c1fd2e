#include "core/profile/exported.hpp"

#include "core/profile/profile.hpp"

#include <gtest/gtest.h>

namespace muster::profile {
namespace {

// A profile consisting of these lines of `environment:`.
Profile profile_of(const std::string& lines) {
  return resolve_profile("p", [&](const std::string&) {
    return parse_profile("environment: {" + lines + "}", "p.yaml");
  });
}

const auto addresses = profile_of(
    "MASTER_ADDR: \"{master_addr}\", COORDINATOR: \"{rendezvous}\", URL: \"tcp://{rendezvous}\", "
    "MASTER_PORT: \"{master_port}\", RANK: \"{rank}\", NCCL_IB_HCA: \"{ib_hca}\"");

TEST(Exported, AddressesAreThoseOfTheProfileThatTheUserSet) {
  const auto found = exported_addresses(
      addresses,
      {{"MASTER_ADDR", "node1"}, {"URL", "tcp://node1:1"}, {"PET_MASTER_ADDR", "node1"}});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].name, "MASTER_ADDR");
  EXPECT_EQ(found[0].value, "node1");
  EXPECT_EQ(exported_addresses(addresses, {{"COORDINATOR", "node1:7"}}).size(), 1U);
  EXPECT_TRUE(exported_addresses(addresses, {{"MASTER_ADDR", ""}}).empty());
}

TEST(Exported, EmptyValuesAreNoneWhereTheyMeanNothing) {
  Environment environment{{"MASTER_ADDR", ""}, {"COORDINATOR", ""}, {"MASTER_PORT", ""},
                          {"RANK", ""},        {"URL", ""},         {"NCCL_IB_HCA", ""},
                          {"OTHER", ""}};
  drop_empty(addresses, environment);
  EXPECT_EQ(environment, (Environment{{"NCCL_IB_HCA", ""}, {"OTHER", ""}}));
  Environment full{{"MASTER_ADDR", "node1"}, {"RANK", "0"}};
  const auto before = full;
  drop_empty(addresses, full);
  EXPECT_EQ(full, before);
}

}  // namespace
}  // namespace muster::profile
