#include "secret/mac.hpp"

#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::secret {
namespace {

constexpr Key key{1, 2, 3};

Key counting_key() {
  Key counting{};
  std::iota(counting.begin(), counting.end(), static_cast<unsigned char>(0));
  return counting;
}

std::string hex(const Mac& mac) {
  Key bytes;
  for (std::size_t i = 0; i < mac.size(); ++i) bytes[i] = std::to_integer<unsigned char>(mac[i]);
  return to_hex(bytes);
}

TEST(Mac, IsOfTheKeyAndOfAllParts) {
  const auto mac = sign(key, {"name", "text"});
  EXPECT_EQ(mac, sign(key, {"name", std::string("text")}));
  EXPECT_NE(mac, sign({1, 2, 4}, {"name", "text"}));
  EXPECT_NE(mac, sign(key, {"name", "texT"}));
  EXPECT_NE(mac, sign(key, {"Name", "text"}));
}

TEST(Mac, TellsWhereEachPartEnds) {
  const auto mac = sign(key, {"ab", "c"});
  EXPECT_NE(mac, sign(key, {"a", "bc"}));
  EXPECT_NE(mac, sign(key, {"abc"}));
  EXPECT_NE(mac, sign(key, {"ab", "c", ""}));
  EXPECT_NE(mac, sign(key, {"", "ab", "c"}));
}

TEST(Mac, TakesBytesOfAnyKind) {
  const std::vector<std::byte> bytes{std::byte{'a'}, std::byte{'b'}};
  const std::array<unsigned char, 2> letters{'a', 'b'};
  EXPECT_EQ(sign(key, {bytes}), sign(key, {"ab"}));
  EXPECT_EQ(sign(key, {letters}), sign(key, {"ab"}));
}

// By Python: hashlib.blake2b(b"\0\0\0\x04name" + b"\0\0\0\x04text", digest_size=32, key=bytes(range(32)))
TEST(Mac, IsKeyedBlake2b) {
  EXPECT_EQ(hex(sign(counting_key(), {"name", "text"})),
            "89b683742bbf1b0cfbe6b80afd90643bc8cce1b065231504dae11a6a2d94990d");
}

TEST(Mac, EqualsItselfOnly) {
  const auto mac = sign(key, {"text"});
  EXPECT_TRUE(equals(mac, mac));
  auto other = mac;
  other.back() ^= std::byte{1};
  EXPECT_FALSE(equals(mac, other));
  EXPECT_FALSE(equals(mac, std::string(31, 'x')));
  EXPECT_FALSE(equals(mac, ""));
}

TEST(DerivedKey, IsAnotherForEachPurposeAndContext) {
  const auto derived = derive_key(key, {"purpose", "1"});
  EXPECT_EQ(derived, derive_key(key, {"purpose", "1"}));
  EXPECT_NE(derived, derive_key(key, {"purpose", "2"}));
  EXPECT_NE(derived, derive_key(key, {"other", "1"}));
  EXPECT_NE(derived, derive_key({}, {"purpose", "1"}));
  EXPECT_NE(derived, key);
}

TEST(Digest, IsOfThePiecesAsOne) {
  EXPECT_EQ(digest({"ab", "c"}), digest({"abc"}));
  EXPECT_NE(digest({"abc"}), digest({"abd"}));
  EXPECT_NE(digest({"abc"}), sign({}, {"abc"}));
}

}  // namespace
}  // namespace muster::secret
