#include "wire/codec.hpp"

#include "fixtures/allocation_meter.hpp"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::wire {
namespace {

constexpr auto most32 = std::numeric_limits<std::uint32_t>::max();
constexpr auto most64 = std::numeric_limits<std::uint64_t>::max();

std::string lying_length(std::uint32_t claimed, const std::string& rest) {
  Encoder out;
  out.u32(claimed);
  return out.bytes() + rest;
}

TEST(Codec, GivesBackWhatWasPutIn) {
  const std::string binary("a\0b\n\xFF", 5);
  Encoder out;
  out.u32(0);
  out.u32(most32);
  out.u64(most64);
  out.text("");
  out.text(binary);
  out.texts({"one", "", binary});
  out.texts({});
  out.u32s({1, most32});
  out.u64s({most64, 0});

  Decoder in(out.bytes());
  EXPECT_EQ(in.u32(), 0U);
  EXPECT_EQ(in.u32(), most32);
  EXPECT_EQ(in.u64(), most64);
  EXPECT_EQ(in.text(), "");
  EXPECT_EQ(in.text(), binary);
  EXPECT_EQ(in.texts(), (std::vector<std::string>{"one", "", binary}));
  EXPECT_EQ(in.texts(), std::vector<std::string>{});
  EXPECT_EQ(in.u32s(), (std::vector<std::uint32_t>{1, most32}));
  EXPECT_EQ(in.u64s(), (std::vector<std::uint64_t>{most64, 0}));
  EXPECT_TRUE(in.done());
}

TEST(Codec, IsNotDoneWhileBytesAreLeft) {
  Encoder out;
  out.u32(7);
  out.u32(8);
  Decoder in(out.bytes());
  EXPECT_EQ(in.u32(), 7U);
  EXPECT_TRUE(in.ok());
  EXPECT_FALSE(in.done());
}

TEST(Codec, GivesEmptyValuesOnceSomethingWasMissing) {
  Encoder out;
  out.u32(7);
  Decoder in(out.bytes());
  EXPECT_EQ(in.u64(), 0U);
  EXPECT_FALSE(in.ok());
  // The four bytes are still there, but nothing after a gap can be trusted.
  EXPECT_EQ(in.u32(), 0U);
  EXPECT_EQ(in.text(), "");
  EXPECT_TRUE(in.texts().empty());
  EXPECT_TRUE(in.u32s().empty());
  EXPECT_TRUE(in.u64s().empty());
  EXPECT_FALSE(in.done());
}

TEST(Codec, ReadsNothingFromNothing) {
  Decoder in("");
  EXPECT_TRUE(in.done());
  EXPECT_EQ(in.u32(), 0U);
  EXPECT_FALSE(in.ok());
}

TEST(Codec, RefusesALengthThatTheBufferCannotHoldWithoutAllocatingForIt) {
  for (const auto claimed : {most32, most32 / 2, std::uint32_t{1} << 28, std::uint32_t{100}}) {
    const auto bytes = lying_length(claimed, std::string(64, 'x'));
    const fixtures::AllocationMeter meter;
    EXPECT_EQ(Decoder(bytes).text(), "");
    EXPECT_TRUE(Decoder(bytes).texts().empty());
    EXPECT_TRUE(Decoder(bytes).u32s().empty());
    EXPECT_TRUE(Decoder(bytes).u64s().empty());
    EXPECT_EQ(meter.bytes(), 0U) << claimed;
  }
}

TEST(Codec, CountsNoMoreItemsThanTheRestCanHold) {
  EXPECT_EQ(Decoder(lying_length(8, std::string(64, 'x'))).count(8), 8U);
  EXPECT_EQ(Decoder(lying_length(9, std::string(64, 'x'))).count(8), 0U);
  EXPECT_EQ(Decoder(lying_length(0, "")).count(8), 0U);
  const auto bytes = lying_length(1, "");
  Decoder in(bytes);
  in.count(4);
  EXPECT_FALSE(in.ok());
}

}  // namespace
}  // namespace muster::wire
