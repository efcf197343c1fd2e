#include "launcher/agent/rendezvous/words.hpp"

#include "core/error.hpp"
#include "fixtures/expect_error.hpp"
#include "fixtures/random_record.hpp"
#include "launcher/channel/message.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::rendezvous {
namespace {

const Offer offer{
    .port = 20001, .addresses = {asio::ip::make_address("10.0.0.1")}, .came = std::nullopt};

TEST(Words, ComeBackAsTheyWere) {
  const auto go = go_from(to_text(Meet{"10.0.0.1", 61007}), "node0");
  EXPECT_EQ(std::get<Meet>(go).address, "10.0.0.1");
  EXPECT_EQ(std::get<Meet>(go).exchange, 61007);
  EXPECT_FALSE(std::get<Meet>(go).replaces_exported);
  const auto welcome =
      welcome_from(to_text(Welcome{.offer = offer, .next = Elsewhere{offer}}), "node0");
  EXPECT_EQ(std::get<Elsewhere>(welcome.next).relay.port, offer.port);
  const auto report = relay_report_from(
      to_text(Joined{{{3, {.failure = "no", .warnings = {"a", ""}}}, {7, {.failure = ""}}}}),
      "node1");
  const auto& reports = std::get<Joined>(report).reports;
  ASSERT_EQ(reports.size(), 2U);
  EXPECT_EQ(reports.at(3).failure, "no");
  EXPECT_EQ(reports.at(3).warnings, std::vector<std::string>{"a"});
}

TEST(Words, AreRefusedFromAnotherVersion) {
  const std::vector<std::string> samples{"10.0.0.1", "fd00::1", "192.168.200.100"};
  fixtures::expect_one_form<Welcome>(samples);
  fixtures::expect_one_form<Go>(samples);
  fixtures::expect_one_form<RelayReport>(samples);
}

TEST(Words, ThatCannotBeReadAreOneLineThatNamesTheNode) {
  for (const std::string text : {"", "meet 10.0.0.1 0", "stop", "listening -"}) {
    for (const auto line : {fixtures::error_of([&] { go_from(text, "node0"); }),
                            fixtures::error_of([&] { welcome_from(text, "node0"); }),
                            fixtures::error_of([&] { relay_report_from(text, "node0"); })}) {
      EXPECT_NE(line.find("the agent of node0"), std::string::npos) << line;
      EXPECT_NE(line.find("is the same muster version installed"), std::string::npos) << line;
    }
  }
}

// A message is cut at 4 KiB, and what is cut cannot be read.
TEST(Words, FitIntoTheirMessagesHoweverMuchThereIsToSay) {
  EXPECT_LE(to_text(Stop{std::string(10000, 'x')}).size(), channel::max_message_bytes);
  const auto longest = asio::ip::make_address("fd00:1111:2222:3333:4444:5555:6666:7777");
  const Offer largest{.port = 65535,
                      .addresses = node::Addresses(node::max_node_addresses, longest),
                      .came = node::max_node_addresses - 1};
  EXPECT_LE(to_text(Welcome{.offer = largest, .next = Elsewhere{largest}}).size(),
            channel::max_message_bytes);
  EXPECT_LE(to_text(Check{largest}).size(), channel::max_message_bytes);
}

}  // namespace
}  // namespace muster::rendezvous
