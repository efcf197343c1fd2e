#include "worker/record.hpp"

#include "worker/error.hpp"

#include <random>

#include <gtest/gtest.h>

namespace muster::worker {
namespace {

Record sample() {
  Record record{.version = 1,
                .phase = 7,
                .rank = 5,
                .size = 100'000,
                .expected = 12,
                .tag = "exchange:shapes",
                .address = "fd00::7",
                .payload = {}};
  for (int i = 0; i < 300; ++i) record.payload.push_back(static_cast<std::byte>(i));
  return record;
}

std::string node_2(int /*rank*/) {
  return "node2";
}

std::string refusal(std::span<const std::byte> bytes) {
  try {
    decode(bytes, 5, node_2);
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), MUSTER_ERR_MISMATCH);
    return error.what();
  }
  return "";
}

TEST(Record, ComesOutAsItWentIn) {
  const auto before = sample();
  const auto after = decode(encode(before), 5, node_2);
  EXPECT_EQ(after.version, before.version);
  EXPECT_EQ(after.phase, before.phase);
  EXPECT_EQ(after.rank, before.rank);
  EXPECT_EQ(after.size, before.size);
  EXPECT_EQ(after.expected, before.expected);
  EXPECT_EQ(after.tag, before.tag);
  EXPECT_EQ(after.address, before.address);
  EXPECT_EQ(after.payload, before.payload);
}

TEST(Record, HasTheLayoutThatItsHeaderTells) {
  auto record = sample();
  record.payload.clear();
  const auto bytes = encode(record);
  EXPECT_EQ(bytes.size(), 32 + record.tag.size() + record.address.size());
  EXPECT_EQ(bytes[8], std::byte{7});   // phase
  EXPECT_EQ(bytes[12], std::byte{5});  // rank
  EXPECT_EQ(bytes[20], std::byte{12});
}

TEST(Record, CutOffAnywhereIsRefusedByRankAndNode) {
  const auto whole = encode(sample());
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const auto text = refusal(std::span{whole}.first(length));
    EXPECT_NE(text.find("rank 5 (node2)"), std::string::npos) << length << ": " << text;
  }
}

TEST(Record, WithSomethingBehindItIsRefused) {
  auto bytes = encode(sample());
  bytes.push_back(std::byte{0});
  EXPECT_NE(refusal(bytes), "");
}

TEST(Record, OfAnotherFormatSaysToUseOneRelease) {
  auto bytes = encode(sample());
  bytes[4] = std::byte{2};
  EXPECT_NE(refusal(bytes).find("another record format (2, here 1); use the same muster release"),
            std::string::npos);
}

TEST(Record, OfAnotherProgramIsToldApart) {
  auto bytes = encode(sample());
  bytes[0] = std::byte{'x'};
  EXPECT_NE(refusal(bytes).find("another program"), std::string::npos);
}

TEST(Record, OfRandomBytesNeverDoesHarm) {
  std::mt19937 random{1};
  for (int i = 0; i < 20'000; ++i) {
    auto bytes = encode(sample());
    bytes.resize(random() % (bytes.size() + 1));
    for (int flips = 0; flips < 4 && !bytes.empty(); ++flips) {
      bytes[random() % bytes.size()] = static_cast<std::byte>(random());
    }
    try {
      decode(bytes, 5, node_2);
    } catch (const Error&) {
    }
  }
}

}  // namespace
}  // namespace muster::worker
