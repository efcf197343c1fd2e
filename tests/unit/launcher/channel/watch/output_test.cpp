// Ranks' output on a watch.
#include "core/view/flow.hpp"
#include "relay_double.hpp"
#include "watched_step.hpp"

#include <string>

#include <gtest/gtest.h>

namespace muster::watch {
namespace {

using view::OutputPiece;
using view::Stream;

class OutputTest : public WatchedStep {
 protected:
  static OutputPiece piece(std::uint32_t rank, const std::string& bytes, std::uint64_t offset = 0) {
    return {.source = {rank, Stream::out}, .offset = offset, .bytes = bytes};
  }
};

TEST_F(OutputTest, ComesToTheSupervisorAsItIs) {
  open();
  const auto agent = link(0);
  EXPECT_FALSE(agent->send(piece(1, "too early")));
  ASSERT_TRUE(soon([&] { return connected_ == 1; }));
  const std::string bytes("\0{\xFF\n", 4);
  EXPECT_TRUE(agent->send(piece(1, bytes, 7)));
  ASSERT_TRUE(soon([&] { return output_of(1) == bytes; }));
  const std::lock_guard lock(mutex_);
  EXPECT_EQ(outputs_[0].offset, 7U);
  EXPECT_EQ(outputs_[0].node, "node0");
  EXPECT_EQ(ranks_of_step_, 6U);
}

TEST_F(OutputTest, IsAcknowledgedToTheAgentOfTheRank) {
  open();
  const auto other = link(0);
  const auto agent = link(1);
  ASSERT_TRUE(soon([&] { return other->established() && agent->established(); }));
  watch_server_->shown({{3, Stream::err}, 40}, 0);
  ASSERT_TRUE(soon([&] { return !shown_.empty(); }));
  EXPECT_EQ(shown_[0].source, (view::Source{3, Stream::err}));
  EXPECT_EQ(shown_[0].offset, 40U);
  EXPECT_EQ(shown_.size(), 1U);
}

TEST_F(OutputTest, IsTakenOfANodesOwnRanksOnly) {
  open();
  const auto agent = link(0);
  ASSERT_TRUE(soon([&] { return connected_ == 1; }));
  agent->send(piece(2, "not mine"));
  ASSERT_TRUE(soon([&] { return connected_ == 2; }));  // the server has hung up
  EXPECT_EQ(output_of(2), "");
  EXPECT_EQ(remark(0), "a node reports a rank that is not its own");
}

TEST_F(OutputTest, IsTakenAsFarAsItIsShown) {
  open();
  const auto agent = link(0);
  ASSERT_TRUE(soon([&] { return agent->established(); }));
  const std::string bytes(view::max_piece_bytes, 'x');
  std::uint64_t offset = 0;
  const auto send = [&] {
    agent->send(piece(0, bytes, offset));
    offset += bytes.size();
    return soon([&] { return output_of(0).size() == offset; });
  };
  while (offset < 40 * bytes.size()) {
    ASSERT_TRUE(send());
    watch_server_->shown({{0, Stream::out}, offset}, bytes.size());
  }
  const auto connections = connected_;
  while (connected_ == connections && offset < 100 * bytes.size()) {
    agent->send(piece(0, bytes, offset));
    offset += bytes.size();
    static_cast<void>(io_.run_one_for(milliseconds{5}));
  }
  ASSERT_TRUE(soon([&] { return connected_ > connections; }));
  EXPECT_EQ(remark(0), "its agent sent more data than allowed");
  EXPECT_LE(output_of(0).size(), 40 * bytes.size() + 2 * view::window(nodes) + 2 * bytes.size());
}

TEST_F(OutputTest, BeginsAnewOnEachConnection) {
  open();
  Relay relay(io_, server_->address().port);
  const auto agent = link(0, relay.port());
  ASSERT_TRUE(soon([&] { return connected_ == 1; }));
  relay.cut();
  ASSERT_TRUE(soon([&] { return connected_ == 2; }));
  agent->send(piece(0, "again"));
  EXPECT_TRUE(soon([&] { return output_of(0) == "again"; }));
}

}  // namespace
}  // namespace muster::watch
