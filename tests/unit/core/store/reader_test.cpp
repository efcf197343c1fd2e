#include "core/store/reader.hpp"

#include "core/error.hpp"
#include "unit/core/store/requests.hpp"

#include <random>

#include <gtest/gtest.h>

namespace muster::store {
namespace {

std::vector<Request> all_of(Reader& reader, Dialect old = Dialect::up_to_2_0) {
  std::vector<Request> found;
  while (auto request = reader.next(old)) found.push_back(std::move(*request));
  return found;
}

std::vector<Request> read(std::string_view bytes, Dialect old = Dialect::up_to_2_0) {
  Reader reader;
  reader.add(bytes);
  auto found = all_of(reader, old);
  EXPECT_EQ(reader.size(), 0U);
  return found;
}

struct Sent {
  std::string bytes;
  std::vector<Request> requests;
};

// One request of each kind.
Sent everything() {
  using enum Operation;
  Sent sent;
  const auto append_request = [&sent](Request request, const std::string& arguments) {
    sent.bytes += code(request.operation) + arguments;
    sent.requests.push_back(std::move(request));
  };
  append_request({validate}, bytes_of(std::uint32_t{0x3C85F7CE}));
  append_request({ping, {}, {}, 77}, bytes_of(std::uint32_t{77}));
  append_request({set, {"a"}, {"1"}}, text("a") + text("1"));
  append_request({compare_set, {"a"}, {"1", ""}}, text("a") + text("1") + text(""));
  append_request({get, {"a"}}, text("a"));
  append_request({add, {"n"}, {}, -3}, text("n") + bytes_of(std::int64_t{-3}));
  append_request({check, {"a", "b"}}, texts({"a", "b"}));
  append_request({wait, {}}, texts({}));
  append_request({number_of_keys}, "");
  append_request({delete_key, {"a"}}, text("a"));
  append_request({append, {"a"}, {"xyz"}}, text("a") + text("xyz"));
  append_request({multi_get, {"a", "b"}}, texts({"a", "b"}));
  append_request({multi_set, {"a", "b"}, {"1", "2"}},
                 bytes_of(std::uint64_t{2}) + text("a") + text("1") + text("b") + text("2"));
  append_request({cancel_wait}, "");
  append_request({queue_push, {"q"}, {"v"}}, text("q") + text("v"));
  append_request({queue_pop, {"q"}}, text("q"));
  append_request({queue_length, {"q"}}, text("q"));
  append_request({list_keys}, "");
  append_request({barrier, {"b"}, {}, 8}, text("b") + bytes_of(std::int64_t{8}));
  return sent;
}

TEST(ReaderTest, ReadsEveryRequestOfTorch) {
  const auto sent = everything();
  EXPECT_EQ(read(sent.bytes), sent.requests);
}

TEST(ReaderTest, BytesMayComeInAnyPieces) {
  const auto sent = everything();
  for (int round = 0; round < 200; ++round) {
    std::mt19937 random(round);
    Reader reader;
    std::vector<Request> found;
    for (std::size_t begin = 0; begin < sent.bytes.size();) {
      const auto size = 1 + random() % (round % 40 + 1);
      reader.add(std::string_view(sent.bytes).substr(begin, size));
      begin += size;
      for (auto& request : all_of(reader)) found.push_back(std::move(request));
    }
    ASSERT_EQ(found, sent.requests) << "round " << round;
    EXPECT_EQ(reader.size(), 0U);
  }
}

TEST(ReaderTest, OldClientsHaveOtherNumbers) {
  using enum Operation;
  EXPECT_EQ(read(code(0) + text("a") + text("1")), (std::vector<Request>{{set, {"a"}, {"1"}}}));
  EXPECT_EQ(read(code(3) + text("init/") + bytes_of(std::int64_t{1})),
            (std::vector<Request>{{add, {"init/"}, {}, 1}}));
  EXPECT_EQ(read(code(8) + text("a"), Dialect::up_to_2_0),
            (std::vector<Request>{{delete_key, {"a"}}}));
  EXPECT_EQ(read(code(7) + text("a"), Dialect::of_2_1),
            (std::vector<Request>{{delete_key, {"a"}}}));
  EXPECT_EQ(read(code(8) + text("a") + text("1"), Dialect::of_2_1),
            (std::vector<Request>{{append, {"a"}, {"1"}}}));
  EXPECT_EQ(read(code(12), Dialect::up_to_2_0), (std::vector<Request>{{cancel_wait}}));
  EXPECT_EQ(read(code(11), Dialect::of_2_1), (std::vector<Request>{{cancel_wait}}));
}

TEST(ReaderTest, WhatAnOldClientSpeaksMayBecomeKnownLater) {
  Reader reader;
  reader.add(code(0) + text("a") + text("1"));
  EXPECT_EQ(reader.next(Dialect::of_2_1)->operation, Operation::set);
  reader.add(code(8) + text("a"));
  EXPECT_EQ(reader.next(Dialect::up_to_2_0)->operation, Operation::delete_key);
}

TEST(ReaderTest, RefusesWhatNoClientOfTorchSends) {
  const auto refuses = [](const std::string& bytes, Dialect old = Dialect::up_to_2_0) {
    Reader reader;
    reader.add(bytes);
    try {
      while (reader.next(old)) continue;
      return std::string("no error");
    } catch (const Error& error) {
      return std::string(error.what());
    }
  };
  EXPECT_EQ(refuses("GET / HTTP/1.1\r\n\r\n"), "an unknown operation, 71");
  EXPECT_EQ(refuses(magic() + code(19)), "an unknown operation, 19");
  EXPECT_EQ(refuses(code(7) + text("watched")), "an unknown operation, 7");
  EXPECT_EQ(refuses(code(12), Dialect::of_2_1), "an unknown operation, 12");
  EXPECT_EQ(refuses(magic() + code(0) + bytes_of(std::uint32_t{1})),
            "torch's magic number is missing");
  EXPECT_EQ(refuses(magic() + code(Operation::get) + bytes_of(std::uint64_t{1} << 30)),
            "a key of 1073741824 bytes; at most 8192 are allowed");
  EXPECT_EQ(refuses(magic() + code(Operation::set) + text("a") + bytes_of(~std::uint64_t{0})),
            "a value of 18446744073709551615 bytes; at most 8388608 are allowed");
  EXPECT_EQ(refuses(magic() + code(Operation::wait) + bytes_of(std::uint64_t{1} << 40)),
            "1099511627776 keys at once; at most 131072 are allowed");
}

TEST(ReaderTest, ARequestOfManyLargeValuesIsRefusedBeforeAllOfThemHaveCome) {
  Reader reader({.value_bytes = 1000, .request_bytes = 10'000});
  reader.add(magic() + code(Operation::multi_set) + bytes_of(std::uint64_t{1000}));
  const auto pair = text("key") + text(std::string(1000, 'x'));
  EXPECT_TRUE(reader.next(Dialect::up_to_2_0));
  EXPECT_THROW(
      {
        for (int i = 0; i < 1000; ++i) {
          reader.add(pair);
          reader.next(Dialect::up_to_2_0);
        }
      },
      Error);
  EXPECT_LT(reader.size(), 12'000U);
}

TEST(ReaderTest, ALargeValueIsNotLookedAtAgainForEachPieceOfIt) {
  const auto value = std::string(std::size_t{8} << 20, 'x');
  Reader reader;
  reader.add(magic() + code(Operation::set) + text("a"));
  const auto rest = text(value);
  std::size_t requests = 0;
  for (std::size_t begin = 0; begin < rest.size(); begin += 100) {
    reader.add(std::string_view(rest).substr(begin, 100));
    while (reader.next(Dialect::up_to_2_0)) ++requests;
  }
  EXPECT_EQ(requests, 2U);
}

}  // namespace
}  // namespace muster::store
