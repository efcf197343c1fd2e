#include "launcher/channel/step_key.hpp"

#include <gtest/gtest.h>

namespace muster::channel {
namespace {

TEST(StepKey, IsAnotherEachTime) {
  EXPECT_NE(make_step_key(), make_step_key());
  EXPECT_NE(make_step_key(), StepKey{});
}

TEST(StepKey, ComesBackFromItsText) {
  const auto key = make_step_key();
  EXPECT_EQ(to_hex(key).size(), 64U);
  EXPECT_EQ(step_key_from_hex(to_hex(key)), key);
}

TEST(StepKey, IsNoOtherText) {
  const auto text = to_hex(make_step_key());
  for (const auto& wrong : {std::string(), text.substr(1), text.substr(2), text + "00",
                            text.substr(1) + "x", ' ' + text}) {
    EXPECT_EQ(step_key_from_hex(wrong), std::nullopt) << wrong;
  }
}

}  // namespace
}  // namespace muster::channel
