#include "launcher/agent/port/listener_watch.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace muster::port {
namespace {

constexpr rendezvous::Port held = 29512;
constexpr rendezvous::Port also_held = 29513;
constexpr uid_t alice = 20001;
constexpr uid_t bob = 20002;

ListenerWatch watch(std::vector<rendezvous::Port> ports = {held}) {
  return {std::move(ports), alice, [](uid_t) { return false; }};
}

TEST(ListenerWatch, FindsAnotherUsersListenerAtAHeldPort) {
  for (const bool everywhere : {false, true}) {
    const auto found = watch().look({{22, 0, true}, {held, bob, everywhere}});
    ASSERT_TRUE(found);
    EXPECT_EQ(found->port, held);
    EXPECT_EQ(found->user, bob);
  }
}

TEST(ListenerWatch, FindsItBesideTheStepsOwnToo) {
  EXPECT_TRUE(watch().look({{held, alice, true}, {held, bob, true}}));
}

TEST(ListenerWatch, GoesOnWhileNobodyListensAtItsPorts) {
  auto looking = watch();
  EXPECT_FALSE(looking.look({{also_held, bob, true}}));
  ASSERT_TRUE(looking.next());
  EXPECT_GT(*looking.next(), ListenerWatch::Clock::now() - std::chrono::hours(1));
}

TEST(ListenerWatch, EndsWhenTheStepListensEverywhereAtEachPort) {
  auto looking = watch({held, also_held});
  EXPECT_FALSE(looking.look({{held, alice, true}}));
  EXPECT_TRUE(looking.next());
  EXPECT_FALSE(looking.look({{also_held, alice, true}}));
  EXPECT_FALSE(looking.next());
}

TEST(ListenerWatch, GoesOnWhileTheStepListensOnOneAddressOnly) {
  auto looking = watch();
  EXPECT_FALSE(looking.look({{held, alice, false}}));
  EXPECT_TRUE(looking.next());
  EXPECT_TRUE(looking.look({{held, alice, false}, {held, bob, false}}));
}

TEST(ListenerWatch, TakesRootAndTheIdsThatAreLentToTheUserForTheStep) {
  const auto stranger = [&](uid_t user) {
    ListenerWatch looking({held}, alice, [](uid_t id) { return id == 300'000; });
    return looking.look({{held, user, true}}).has_value();
  };
  for (const uid_t own : {alice, uid_t{0}, uid_t{300'000}}) EXPECT_FALSE(stranger(own)) << own;
  for (const uid_t other : {bob, uid_t{300'001}}) EXPECT_TRUE(stranger(other)) << other;
}

TEST(ListenerWatch, AsksOnceWhoseAnIdIs) {
  int asked = 0;
  ListenerWatch looking({held}, alice, [&](uid_t) {
    ++asked;
    return true;
  });
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(looking.look({{held, 300'000, false}, {22, bob, true}}));
  EXPECT_EQ(asked, 1);
}

}  // namespace
}  // namespace muster::port
