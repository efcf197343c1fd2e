#include "core/option/keys.hpp"

#include "core/option/values.hpp"
#include "fixtures/expect_error.hpp"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace muster {
namespace {

TEST(Keys, HaveEachAUniqueNameAndAMeaning) {
  std::set<std::string_view> names;
  for (const KeyInfo& key : keys()) {
    EXPECT_TRUE(names.insert(key.name).second) << key.name;
    EXPECT_FALSE(key.meaning.empty()) << key.name;
    EXPECT_EQ(find_key(key.name), &key);
    EXPECT_EQ(&info(key.key), &key);
  }
}

TEST(Keys, AcceptTheirOwnDefaultInEveryRelease) {
  for (const KeyInfo& key : keys()) {
    EXPECT_TRUE(is_available(key, key.default_text)) << key.name;
    const Setting setting{std::string(key.default_text), Origin::option, "test"};
    EXPECT_EQ(canonical(key.key, setting), key.default_text) << key.name;
  }
}

TEST(Keys, NameTheirWordsInTheirForm) {
  for (const KeyInfo& key : keys()) {
    if (key.is_switch || key.words.empty()) continue;
    std::string form;
    for (const Word& word : key.words) form += (form.empty() ? "" : "|") + std::string(word.text);
    EXPECT_EQ(key.form, form);
  }
}

TEST(Keys, WordsStandInTheOrderOfTheirEnum) {
  EXPECT_EQ(to_string(Bind::auto_), "auto");
  EXPECT_EQ(to_string(Bind::exclusive), "exclusive");
  EXPECT_EQ(to_string(Memory::none), "none");
  EXPECT_EQ(to_string(Gpus::own), "own");
  EXPECT_EQ(to_string(Ranks::contiguous), "contiguous");
}

TEST(KeyNamed, SuggestsTheNearestKey) {
  EXPECT_EQ(
      test::error_of([] { key_named("dryrun", "--distributed"); }),
      "--distributed: unknown key 'dryrun': no option has this name; did you mean 'dry-run'?");
}

TEST(KeyNamed, ListsAllKeysWhereNoneIsNear) {
  const std::string error = test::error_of([] { key_named("zzzzzzzz", "x"); });
  for (const KeyInfo& key : keys()) {
    EXPECT_NE(error.find(key.name), std::string::npos) << key.name;
  }
}

}  // namespace
}  // namespace muster
