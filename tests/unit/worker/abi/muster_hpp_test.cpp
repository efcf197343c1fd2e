#include "muster/muster.hpp"

#include <type_traits>

#include <gtest/gtest.h>

namespace {

static_assert(!std::is_copy_constructible_v<muster::Step>);
static_assert(std::is_nothrow_move_constructible_v<muster::Step>);

const muster::Options alone{.timeout = {}, .transport = MUSTER_TRANSPORT_SINGLE};

TEST(CxxStep, ExchangesSpans) {
  muster::Step step{alone};
  const std::array<int, 3> mine{1, 2, 3};
  const auto given = step.exchange("numbers", std::as_bytes(std::span{mine}), step.everyone());
  ASSERT_EQ(given.size(), 1u);
  EXPECT_TRUE(std::ranges::equal(given[0], std::as_bytes(std::span{mine})));
}

TEST(CxxStep, BroadcastsValues) {
  muster::Step step{alone};
  double learning_rate = 0.5;
  step.broadcast(learning_rate);
  EXPECT_EQ(learning_rate, 0.5);
}

TEST(CxxStep, MovesAndEndsOnce) {
  muster::Step first{alone};
  muster::Step second{std::move(first)};
  EXPECT_EQ(second.rank(), 0);
  EXPECT_EQ(first.rank(), -1);  // NOLINT(bugprone-use-after-move): it has no handle any more
  second.finalize();
  muster::Step third{alone};
  EXPECT_EQ(third.size(), 1);
}

TEST(CxxStep, ThrowsTheLineAndTheStatus) {
  muster::Step step{alone};
  try {
    step.barrier(std::chrono::milliseconds{0});
    FAIL();
  } catch (const muster::Error& error) {
    EXPECT_EQ(error.status(), MUSTER_ERR_ARGUMENT);
    EXPECT_STREQ(error.what(), "timeout_ms is 0: use 1 ms to 24 hours, or MUSTER_DEFAULT");
  }
}

TEST(CxxStep, KnowsWhereItIs) {
  muster::Step step{alone};
  EXPECT_EQ(step.endpoint(0).address, "127.0.0.1");
  EXPECT_EQ(step.endpoint(0).node, step.node_name());
}

}  // namespace
