#include "launcher/channel/step/another_attempt.hpp"

#include "core/option/keys.hpp"
#include "core/request/request.hpp"

#include <gtest/gtest.h>

namespace muster::step {
namespace {

using namespace std::chrono_literals;

request::Request with(std::uint32_t restarts, std::uint32_t requeue = 0, bool succession = false) {
  request::Request request;
  request.restarts = restarts;
  request.requeue = requeue;
  request.succession = succession;
  return request;
}

TEST(AnotherAttempt, MayStartByEachKeyThatStartsOne) {
  EXPECT_FALSE(another_may_start(with(0)));
  EXPECT_TRUE(another_may_start(with(1)));
  EXPECT_TRUE(another_may_start(with(0, 1)));
  EXPECT_TRUE(another_may_start(with(0, 0, true)));
}

TEST(AnotherAttempt, DecidesHowLongASilentNodeIsWaitedFor) {
  EXPECT_EQ(node_loss_timeout(with(1)), 11'250ms);
  EXPECT_EQ(node_loss_timeout(with(0)), 90s);
}

TEST(AnotherAttempt, DoesNotOverrideATimeThatSomebodyHasNamed) {
  for (const auto origin : {Origin::option, Origin::site}) {
    auto request = with(0);
    request.heartbeat.limit = 4s;
    request.sources[option::Key("heartbeat")] = {origin, "somewhere"};
    EXPECT_EQ(node_loss_timeout(request), 4500ms);
  }
}

}  // namespace
}  // namespace muster::step
