#include "launcher/agent/node/exported_address.hpp"

#include <map>

#include <gtest/gtest.h>

namespace muster::node {
namespace {

using asio::ip::make_address;
using rendezvous::Leads;

Leads leads(const std::string& host) {
  static const std::vector<os::Interface> interfaces{{"lo", make_address("127.0.0.1")},
                                                     {"eth0", make_address("10.0.0.1")},
                                                     {"ib0", make_address("10.1.0.1")}};
  static const std::map<std::string, std::string> known{
      {"localhost", "127.0.0.1"}, {"node1-ib0", "10.1.0.1"}, {"node2", "10.0.0.2"}};
  return leads_of(host, "node1", interfaces, [](const std::string& name) {
    const auto found = known.find(name);
    asio::error_code error;
    const auto address = make_address(found == known.end() ? name : found->second, error);
    return error ? std::nullopt : std::optional(address);
  });
}

TEST(ExportedAddressHere, LeadsToRank0ByAnyOfTheNodesNamesAndAddresses) {
  for (const auto* const host : {"node1", "node1.cluster", "10.0.0.1", "10.1.0.1", "node1-ib0"})
    EXPECT_EQ(leads(host), Leads::to_rank_0) << host;
}

TEST(ExportedAddressHere, LeadsToItselfElsewhereOrNowhere) {
  for (const auto* const host : {"localhost", "127.0.1.1", "::1"})
    EXPECT_EQ(leads(host), Leads::to_itself) << host;
  for (const auto* const host : {"node2", "10.0.0.2", "fd00::1"})
    EXPECT_EQ(leads(host), Leads::elsewhere) << host;
  EXPECT_EQ(leads("node1x"), Leads::nowhere);
}

}  // namespace
}  // namespace muster::node
