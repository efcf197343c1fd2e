#include "launcher/tools/preflight/order.hpp"

#include "core/error.hpp"
#include "fixtures/random_text.hpp"
#include "launcher/tools/preflight/node.hpp"

#include <string>

#include <gtest/gtest.h>

namespace muster::preflight {
namespace {

const channel::Address place{4711, {"10.1.2.3", "fd00::1"}};

TEST(TestOrder, IsReadAsItWasWritten) {
  for (const auto& order : {TestOrder{3, true, true, place}, TestOrder{4, false, false, {}}})
    EXPECT_EQ(test_order(to_text(order)), order);
}

TEST(NcclOrder, IsReadAsItWasWritten) {
  for (const auto& order : {NcclOrder{3, true, true, place}, NcclOrder{4, false, false, {}}})
    EXPECT_EQ(nccl_order(to_text(order)), order);
  const auto limits = nccl_limits(std::chrono::seconds(10));
  EXPECT_EQ(limits.start, std::chrono::milliseconds(2500));
  for (const auto& order :
       {limits, nccl_limits(std::chrono::seconds(1)), nccl_limits(std::chrono::seconds(300))})
    EXPECT_EQ(nccl_start_order(to_text(order)), order);
}

TEST(NcclOrder, IsNoOrderOfTheNetworksTests) {
  EXPECT_EQ(test_order(to_text(NcclOrder{4, false, false, {}})), std::nullopt);
  EXPECT_EQ(nccl_order(to_text(TestOrder{4, false, false, {}})), std::nullopt);
  for (const auto* text : {"", "nccl-start", "nccl-start 2500", "nccl-start 2500 x",
                           "nccl-start 2500 2500 1", "nccl-start 2500 15001", "nccl-start 0 2500"})
    EXPECT_EQ(nccl_start_order(text), std::nullopt) << text;
}

TEST(Hello, IsReadAsItWasWritten) {
  for (const bool gpu : {true, false})
    EXPECT_EQ(hello_from(to_text(Hello{"node7", place, gpu})), (Hello{"node7", place, gpu}));
}

TEST(Orders, OfAnyOtherTextAreNothing) {
  for (const auto* text : {"", "test", "test 1 full", "test 1 half accept", "test 1 full accept 3",
                           "test 1 full connect", "test 1 full connect 0 10.0.0.1",
                           "test 1 full connect 1 host", "test x full accept"}) {
    EXPECT_EQ(test_order(text), std::nullopt) << text;
  }
  for (const auto* text : {"", "hello", "hello node gpu 1", "hello  - 1 10.0.0.1",
                           "hello node - 70000 10.0.0.1", "hello node cpu 1 10.0.0.1"})
    EXPECT_EQ(hello_from(text), std::nullopt) << text;
}

TEST(Orders, OfDamagedTextAreNothingOrWithinTheirBounds) {
  fixtures::RandomText random(5);
  const auto order = to_text(TestOrder{3, true, true, place});
  const auto hello = to_text(Hello{"node7", place});
  for (int i = 0; i < 20000; ++i) {
    const auto read = test_order(random.mutate(order));
    if (read) {
      EXPECT_LE(read->partner.addresses.size(), channel::max_addresses);
    }
    const auto heard = hello_from(random.mutate(hello));
    if (heard) {
      EXPECT_FALSE(heard->node.empty());
    }
  }
}

TEST(StepOrder, IsReadAsItWasWritten) {
  const StepOrder order{
      channel::make_step_key(), place, std::chrono::milliseconds(9000), {"ib0", "eth*"}};
  EXPECT_EQ(step_order(to_text(order)), order);
  const StepOrder bare{channel::make_step_key(), place, std::chrono::milliseconds(9000), {}};
  EXPECT_EQ(step_order(to_text(bare)), bare);
}

TEST(StepOrder, ThatIsDamagedIsOneLine) {
  const StepOrder order{channel::make_step_key(), place, std::chrono::milliseconds(9000), {}};
  const auto text = to_text(order);
  EXPECT_THROW(step_order(""), Error);
  EXPECT_THROW(step_order(text.substr(1)), Error);
  EXPECT_THROW(step_order(text.substr(0, 70)), Error);
  EXPECT_THROW(step_order("x" + text), Error);
}

}  // namespace
}  // namespace muster::preflight
