#include "core/file/yaml.hpp"

#include "fixtures/expect_error.hpp"
#include "fixtures/random_text.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::file {
namespace {

Yaml parse(std::string_view text) {
  return Yaml::parse(text, "f.yaml");
}

std::string error_for(std::string_view text) {
  return fixtures::error_of([&] { parse(text).entries(); });
}

TEST(Yaml, ReadsMappingsListsAndText) {
  const auto entries = parse("a: 1\nb: [x, 'y z']\nc:\n").entries();
  ASSERT_EQ(entries.size(), 3U);
  EXPECT_EQ(entries[0].key, "a");
  EXPECT_EQ(entries[0].value.text(), "1");
  EXPECT_EQ(entries[1].value.items()[1].text(), "y z");
  EXPECT_TRUE(entries[2].value.is_null());
  EXPECT_EQ(entries[1].value.items()[1].where(), "f.yaml:2:8");
}

TEST(Yaml, TakesAFileOfCommentsForEmpty) {
  EXPECT_TRUE(parse("").entries().empty());
  EXPECT_TRUE(parse("# nothing\n").entries().empty());
}

TEST(Yaml, NamesThePlaceOfAnyMistake) {
  EXPECT_EQ(error_for("a: 1\nb: [1, 2\n").substr(0, 7), "f.yaml:");
  EXPECT_EQ(error_for("a: 1\na: 2\n"), "f.yaml:2:1: 'a' twice: only one can apply; remove one");
  EXPECT_EQ(error_for("- a\n"),
            "f.yaml:1:1: a list where a mapping is expected; write 'KEY: VALUE' lines");
  EXPECT_EQ(
      fixtures::error_of([] { parse("a: {b: c}").entries()[0].value.text(); }),
      "f.yaml:1:4: a mapping where a plain value is expected; write one word or a quoted string");
}

TEST(Yaml, RefusesAliasesBeforeTheyCanMultiply) {
  EXPECT_NE(error_for("a: &x [1]\nb: [*x, *x]\n").find("aliases are not supported"),
            std::string::npos);
}

TEST(Yaml, RefusesDeepNestingAndTooManyValues) {
  EXPECT_NE(error_for(std::string(17, '[') + std::string(17, ']')).find("nested too deeply"),
            std::string::npos);
  std::string many = "a: [";
  for (std::size_t i = 0; i < max_yaml_nodes; ++i) many += "1,";
  EXPECT_NE(error_for(many + "1]").find("too many values"), std::string::npos);
}

TEST(Yaml, SurvivesVeryDeepInput) {
  for (const auto* open : {"[", "{", "- ", "? ", "a: {"}) {
    std::string text;
    while (text.size() < 500'000) text += open;
    EXPECT_THROW(parse(text).entries(), Error) << open;
  }
}

TEST(Yaml, RefusesASecondDocument) {
  EXPECT_NE(error_for("a: 1\n---\nb: 2\n").find("second document"), std::string::npos);
}

TEST(Yaml, AnswersAnyTextWithATreeOrAnErrorInOneLine) {
  fixtures::RandomText random(6);
  const std::vector<std::string> pieces{
      "a",  ": ", "\n", "  ", "- ", "[",   "]",   "{", "}",  ",",   "'",    "\"", "#", "&x",
      "*x", "|",  ">",  "!",  "%",  "---", "...", "?", "\t", "\\x", "\xFF", "<<", "~", "null"};
  for (int i = 0; i < 20'000; ++i) {
    const std::string text = i % 4 == 0 ? random.bytes(60) : random.pieces(pieces, 16);
    try {
      for (const auto& entry : parse(text).entries()) {
        for (const Yaml& item : entry.value.items()) item.text();
      }
    } catch (const Error& error) {
      ASSERT_TRUE(fixtures::is_one_line(error.what())) << error.what();
    }
  }
}

}  // namespace
}  // namespace muster::file
