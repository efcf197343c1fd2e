#include "secret/key.hpp"

#include <gtest/gtest.h>

namespace muster::secret {
namespace {

TEST(Key, IsAnotherEachTime) {
  EXPECT_NE(make_key(), make_key());
  EXPECT_NE(make_key(), Key{});
}

TEST(Key, ComesBackFromItsText) {
  const auto key = make_key();
  EXPECT_EQ(to_hex(key).size(), 64U);
  EXPECT_EQ(key_from_hex(to_hex(key)), key);
}

TEST(Key, IsNoOtherText) {
  const auto text = to_hex(make_key());
  for (const auto& wrong : {std::string(), text.substr(1), text.substr(2), text + "00",
                            text.substr(1) + "x", ' ' + text}) {
    EXPECT_EQ(key_from_hex(wrong), std::nullopt) << wrong;
  }
}

}  // namespace
}  // namespace muster::secret
