#include "core/store/store.hpp"

#include "unit/core/store/requests.hpp"

#include <gtest/gtest.h>

namespace muster::store {
namespace {

using namespace std::string_literals;
using enum Operation;
using Replies = std::vector<Reply>;

const auto go_on = "\0"s;

class StoreTest : public ::testing::Test {
 protected:
  Replies ask(Client client, const Request& request) {
    auto outcome = store.carry_out(client, request);
    EXPECT_EQ(outcome.refusal, "");
    return outcome.replies;
  }

  bool refuses(const Request& request) { return !store.carry_out(1, request).refusal.empty(); }

  // The reply to a client that nobody else waits for.
  std::string reply(const Request& request) {
    const auto found = ask(1, request);
    EXPECT_EQ(found.size(), 1U);
    return found.empty() ? "" : found[0].bytes;
  }

  void put(const std::string& key, const std::string& value) {
    EXPECT_EQ(ask(1, {set, {key}, {value}}), Replies{});
  }

  Store store;
};

TEST_F(StoreTest, KeepsTheNewestValue) {
  put("a", "1");
  put("a", "22");
  EXPECT_EQ(reply({get, {"a"}}), text("22"));
  EXPECT_EQ(reply({get, {"missing"}}), text(""));
  EXPECT_EQ(reply({number_of_keys}), bytes_of(std::int64_t{1}));
  EXPECT_EQ(reply({delete_key, {"a"}}), bytes_of(std::int64_t{1}));
  EXPECT_EQ(reply({delete_key, {"a"}}), bytes_of(std::int64_t{0}));
  EXPECT_EQ(store.bytes(), 0U);
}

TEST_F(StoreTest, AddsToNumbersInText) {
  EXPECT_EQ(reply({add, {"n"}, {}, 5}), bytes_of(std::int64_t{5}));
  EXPECT_EQ(reply({add, {"n"}, {}, -7}), bytes_of(std::int64_t{-2}));
  EXPECT_EQ(reply({get, {"n"}}), text("-2"));
  put("n", " 7x");  // as std::stoll reads it
  EXPECT_EQ(reply({add, {"n"}, {}, 1}), bytes_of(std::int64_t{8}));
  put("n", "x");
  EXPECT_TRUE(refuses({add, {"n"}, {}, 1}));
  put("n", "9223372036854775807");
  EXPECT_EQ(reply({add, {"n"}, {}, 1}), bytes_of(INT64_MIN));
  put("n", "9223372036854775808");
  EXPECT_TRUE(refuses({add, {"n"}, {}, 1}));
}

TEST_F(StoreTest, SetsOnlyWhatIsAsExpected) {
  EXPECT_EQ(reply({compare_set, {"a"}, {"expected", "new"}}), text("expected"));
  EXPECT_EQ(reply({compare_set, {"a"}, {"", "first"}}), text("first"));
  EXPECT_EQ(reply({compare_set, {"a"}, {"", "second"}}), text("first"));
  EXPECT_EQ(reply({compare_set, {"a"}, {"first", "second"}}), text("second"));
}

TEST_F(StoreTest, AppendsAndHandlesManyKeysAtOnce) {
  EXPECT_EQ(ask(1, {append, {"a"}, {"x"}}), Replies{});
  EXPECT_EQ(ask(1, {append, {"a"}, {"yz"}}), Replies{});
  EXPECT_EQ(ask(1, {multi_set, {"b", "c"}, {"1", ""}}), Replies{});
  EXPECT_EQ(reply({multi_get, {"a", "b", "c", "d"}}),
            text("xyz") + text("1") + text("") + text(""));
  EXPECT_EQ(reply({check, {"a", "c"}}), "\0"s);
  EXPECT_EQ(reply({check, {"a", "d"}}), "\1"s);
  EXPECT_EQ(reply({check, {}}), "\0"s);
  EXPECT_EQ(reply({list_keys}).size(), 8 + 3 * 9U);
  EXPECT_EQ(reply({list_keys}).substr(0, 8), bytes_of(std::uint64_t{3}));
}

TEST_F(StoreTest, AClientWaitsForAllOfItsKeys) {
  put("a", "1");
  EXPECT_EQ(reply({wait, {"a"}}), go_on);
  EXPECT_EQ(reply({wait, {}}), go_on);
  EXPECT_EQ(ask(2, {wait, {"a", "b", "b", "c"}}), Replies{});
  EXPECT_EQ(ask(3, {wait, {"c"}}), Replies{});
  EXPECT_EQ(ask(1, {add, {"c"}, {}, 1}), (Replies{{1, bytes_of(std::int64_t{1})}, {3, go_on}}));
  EXPECT_EQ(ask(1, {append, {"b"}, {"1"}}), (Replies{{2, go_on}}));
  EXPECT_EQ(ask(1, {set, {"b"}, {"2"}}), Replies{});
}

TEST_F(StoreTest, AWaitEndsWhenItIsCancelledOrTheClientGoes) {
  EXPECT_EQ(ask(2, {wait, {"a"}}), Replies{});
  EXPECT_EQ(ask(2, {cancel_wait}), (Replies{{2, "\1"}}));
  EXPECT_EQ(ask(3, {wait, {"a"}}), Replies{});
  store.leave(3);
  EXPECT_EQ(ask(4, {wait, {"a", "b"}}), Replies{});
  EXPECT_EQ(ask(4, {wait, {"b"}}), Replies{});
  EXPECT_EQ(ask(1, {set, {"a"}, {"1"}}), Replies{});
  EXPECT_EQ(ask(1, {set, {"b"}, {"1"}}), (Replies{{4, go_on}}));
}

TEST_F(StoreTest, CompareSetWakesThoseWhoWaitIfItSets) {
  EXPECT_EQ(ask(2, {wait, {"a"}}), Replies{});
  EXPECT_EQ(ask(1, {compare_set, {"a"}, {"x", "y"}}), (Replies{{1, text("x")}}));
  EXPECT_EQ(ask(1, {compare_set, {"a"}, {"", "y"}}), (Replies{{1, text("y")}, {2, go_on}}));
}

TEST_F(StoreTest, AQueueGivesItsOldestValue) {
  const auto none = bytes_of(std::int64_t{0});
  EXPECT_EQ(reply({queue_pop, {"q"}}), none);
  EXPECT_EQ(ask(1, {queue_push, {"q"}, {"1"}}), Replies{});
  EXPECT_EQ(ask(1, {queue_push, {"q"}, {"2"}}), Replies{});
  EXPECT_EQ(reply({queue_length, {"q"}}), bytes_of(std::int64_t{2}));
  EXPECT_EQ(reply({number_of_keys}), none);  // a queue is no key
  EXPECT_EQ(reply({wait, {"q"}}), go_on);
  EXPECT_EQ(reply({queue_pop, {"q"}}), bytes_of(std::int64_t{2}) + text("1"));
  EXPECT_EQ(reply({queue_pop, {"q"}}), bytes_of(std::int64_t{1}) + text("2"));
  EXPECT_EQ(reply({queue_pop, {"q"}}), none);
  EXPECT_EQ(store.bytes(), 0U);
}

TEST_F(StoreTest, AllWhoWaitForAQueueLookAtIt) {
  ask(2, {wait, {"q"}});
  ask(3, {wait, {"q"}});
  EXPECT_EQ(ask(1, {queue_push, {"q"}, {"1"}}), (Replies{{2, go_on}, {3, go_on}}));
}

TEST_F(StoreTest, ABarrierOpensForTheLastOne) {
  EXPECT_EQ(ask(2, {barrier, {"b"}, {}, 3}), Replies{});
  EXPECT_EQ(ask(3, {barrier, {"b"}, {}, 3}), Replies{});
  EXPECT_EQ(ask(1, {barrier, {"b"}, {}, 3}), (Replies{{1, go_on}, {2, go_on}, {3, go_on}}));
  EXPECT_EQ(reply({get, {"b"}}), text("3"));
  EXPECT_EQ(ask(2, {barrier, {"b"}, {}, 3}), (Replies{{2, go_on}}));
}

TEST_F(StoreTest, ABarrierCountsThoseWhoHaveLeftIt) {
  EXPECT_EQ(ask(2, {barrier, {"b"}, {}, 3}), Replies{});
  EXPECT_EQ(ask(2, {cancel_wait}), (Replies{{2, "\1"}}));
  EXPECT_EQ(ask(3, {barrier, {"b"}, {}, 3}), Replies{});
  store.leave(3);
  EXPECT_EQ(ask(1, {barrier, {"b"}, {}, 3}), (Replies{{1, go_on}}));
}

TEST_F(StoreTest, APingIsAnsweredByItsNumber) {
  EXPECT_EQ(ask(1, {validate}), Replies{});
  EXPECT_EQ(reply({ping, {}, {}, 0xFFFFFFFF}), bytes_of(std::uint32_t{0xFFFFFFFF}));
}

bool refuses(Store& store, const Request& request) {
  return !store.carry_out(1, request).refusal.empty();
}

TEST(StoreLimitsTest, KeysAndBytesAreBounded) {
  Store store({.keys = 3, .store_bytes = 100});
  store.carry_out(1, {set, {"a"}, {std::string(50, 'x')}});
  EXPECT_TRUE(refuses(store, {set, {"b"}, {std::string(50, 'x')}}));
  EXPECT_TRUE(refuses(store, {append, {"a"}, {std::string(50, 'x')}}));
  EXPECT_TRUE(refuses(store, {queue_push, {"a"}, {std::string(50, 'x')}}));
  EXPECT_EQ(store.bytes(), 51U);
  store.carry_out(1, {set, {"b"}, {""}});
  store.carry_out(1, {queue_push, {"q"}, {""}});
  EXPECT_TRUE(refuses(store, {set, {"d"}, {""}}));
  EXPECT_TRUE(refuses(store, {queue_push, {"p"}, {""}}));
  store.carry_out(1, {set, {"a"}, {""}});
  EXPECT_EQ(store.bytes(), 3U);
}

TEST(StoreLimitsTest, AnswersAreBounded) {
  Store store({.reply_bytes = 1000});
  store.carry_out(1, {set, {"a"}, {std::string(300, 'x')}});
  EXPECT_FALSE(refuses(store, {multi_get, {"a", "a", "a"}}));
  EXPECT_TRUE(refuses(store, {multi_get, {"a", "a", "a", "a"}}));
  store.carry_out(1, {append, {"a"}, {std::string(800, 'x')}});
  EXPECT_TRUE(refuses(store, {get, {"a"}}));
  for (int i = 0; i < 50; ++i)
    store.carry_out(1, {set, {std::string(20, 'k') + std::to_string(i)}, {""}});
  EXPECT_TRUE(refuses(store, {list_keys}));
}

TEST(StoreLimitsTest, AwaitedKeysAreBounded) {
  Store store({.store_bytes = 1000});
  const auto key = std::string(200, 'k');
  for (Client client = 2; client < 5; ++client)
    EXPECT_EQ(store.carry_out(client, {wait, {key}}).refusal, "");
  EXPECT_TRUE(refuses(store, {wait, {key}}));
  store.leave(2);
  EXPECT_FALSE(refuses(store, {wait, {key}}));
  EXPECT_EQ(store.carry_out(9, {set, {key}, {""}}).replies.size(), 3U);
  EXPECT_EQ(store.awaited_bytes(), 0U);
}

TEST(StoreLimitsTest, WhatIsSetBeforeARefusalWakesThoseWhoWait) {
  Store store({.store_bytes = 200});
  store.carry_out(2, {wait, {"a"}});
  const auto outcome = store.carry_out(1, {multi_set, {"a", "b"}, {"1", std::string(300, 'x')}});
  EXPECT_NE(outcome.refusal, "");
  EXPECT_EQ(outcome.replies, (Replies{{2, go_on}}));
}

}  // namespace
}  // namespace muster::store
