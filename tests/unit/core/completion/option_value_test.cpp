#include "core/completion/option_value.hpp"

#include "core/option/key_table.hpp"
#include "core/option/option.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::completion {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using Words = std::vector<std::string>;

const Words profiles{"jax", "torch", "torchrun"};

TEST(OptionValues, BeginWithAProfileOrAKey) {
  const auto words = option_values("", profiles);
  EXPECT_THAT(words, Contains("torch"));
  EXPECT_THAT(words, Contains("off"));
  EXPECT_THAT(words, Contains("bind="));
  EXPECT_THAT(words, Contains("explain"));
  EXPECT_THAT(option_values("torch", profiles), ElementsAre("torch", "torchrun"));
}

TEST(OptionValues, GoOnWithKeysBehindAComma) {
  EXPECT_THAT(option_values("torch,expl", profiles), ElementsAre("torch,explain"));
  EXPECT_THAT(option_values("torch,torch", profiles), IsEmpty());
  EXPECT_THAT(option_values("torch,bind=core,", profiles), Not(Contains("torch,bind=core,bind=")));
  EXPECT_THAT(option_values("bind=core,smt=of", profiles), ElementsAre("bind=core,smt=off"));
}

TEST(OptionValues, HaveTheWordsOfAKey) {
  EXPECT_THAT(option_values("gpus=", profiles), ElementsAre("gpus=shared", "gpus=own"));
  EXPECT_THAT(option_values("view=", profiles), ElementsAre("view=first", "view=all", "view=none"));
  EXPECT_THAT(option_values("port=", profiles), ElementsAre("port=auto"));
  EXPECT_THAT(option_values("explain=o", profiles), ElementsAre("explain=on", "explain=off"));
  EXPECT_THAT(option_values("restarts=", profiles), IsEmpty());
  EXPECT_THAT(option_values("no-such=", profiles), IsEmpty());
}

TEST(OptionValues, HaveTheWordsOfAListBehindAPlus) {
  EXPECT_THAT(option_values("torch,hang=5+", profiles), ElementsAre("torch,hang=5+restart"));
  EXPECT_THAT(option_values("network=ib0+", profiles), IsEmpty());
}

TEST(OptionValues, AreAccepted) {
  for (const auto& key : option::keys()) {
    if (key.since == option::not_yet) continue;
    for (const auto& value : option_values(fmt::format("torch,{}=", key.name), profiles))
      EXPECT_NO_THROW(option::parse_option(value, Origin::option, "--distributed")) << value;
    EXPECT_THAT(option_values("torch,", profiles),
                Contains(testing::StartsWith(fmt::format("torch,{}", key.name))));
  }
}

TEST(LiteralWords, AreThoseWithoutPlaceholders) {
  EXPECT_THAT(literal_words("RANK[+RANK]|first|all"), ElementsAre("first", "all"));
  EXPECT_THAT(literal_words("TEXT"), IsEmpty());
}

}  // namespace
}  // namespace muster::completion
