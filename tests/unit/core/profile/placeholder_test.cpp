#include "core/profile/placeholder.hpp"

#include "fixtures/expect_error.hpp"
#include "fixtures/random_text.hpp"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace muster::profile {
namespace {

const PlaceholderValues values{{Placeholder::rank, {"3", Origin::slurm}},
                               {Placeholder::master_addr, {"10.0.0.1", Origin::rendezvous}},
                               {Placeholder::master_port, {"29500", Origin::option}}};

std::string expanded(std::string_view text) {
  const auto result = Template::parse(text, "f:1:1").expand(values);
  return result ? result->value : "(not set)";
}

TEST(Placeholders, HaveEachAUniqueNameAndAMeaning) {
  std::set<std::string_view> names;
  for (const PlaceholderInfo& known : placeholders()) {
    EXPECT_TRUE(names.insert(known.name).second) << known.name;
    EXPECT_FALSE(known.meaning.empty()) << known.name;
    EXPECT_EQ(&info(known.placeholder), &known);
  }
}

TEST(Template, ReplacesPlaceholdersAndKeepsTheRest) {
  EXPECT_EQ(expanded("{rank}"), "3");
  EXPECT_EQ(expanded("{master_addr}:{master_port}"), "10.0.0.1:29500");
  EXPECT_EQ(expanded("plain"), "plain");
  EXPECT_EQ(expanded(""), "");
}

TEST(Template, TakesDoubledBracesForBraces) {
  EXPECT_EQ(expanded(R"({{"index": {rank}}})"), R"({"index": 3})");
  EXPECT_EQ(expanded("{{rank}}"), "{rank}");
}

TEST(Template, IsNotSetWhereAPlaceholderHasNoValue) {
  EXPECT_EQ(expanded("a{ib_hca}b"), "(not set)");
}

TEST(Template, HasTheOriginOfItsFirstPlaceholder) {
  EXPECT_EQ(Template::parse("x", "f").expand(values)->origin, Origin::profile);
  EXPECT_EQ(Template::parse("{master_addr}:{master_port}", "f").expand(values)->origin,
            Origin::rendezvous);
}

TEST(Template, KnowsWhetherItSaysWhoATaskIs) {
  EXPECT_TRUE(Template::parse("x{local_rank}", "f").identity());
  EXPECT_FALSE(Template::parse("{threads}", "f").identity());
  EXPECT_FALSE(Template::parse("0", "f").identity());
}

TEST(Template, RefusesAnUnknownPlaceholderWithTheNearestOne) {
  EXPECT_EQ(fixtures::error_of([] { Template::parse("{rnak}", "f.yaml:3:9"); }),
            "f.yaml:3:9: unknown placeholder '{rnak}'; did you mean 'rank'?");
}

TEST(Template, RefusesStrayBraces) {
  for (const auto* text : {"{", "}", "{rank", "rank}", "{{{", "a}b"}) {
    EXPECT_NE(fixtures::error_of([&] { Template::parse(text, "f:1:1"); }).find("f:1:1: "),
              std::string::npos)
        << text;
  }
}

TEST(Template, AnswersAnyTextWithATemplateOrAnErrorInOneLine) {
  fixtures::RandomText random(8);
  for (int i = 0; i < 20'000; ++i) {
    const std::string text = random.pieces({"{", "}", "rank", "{rank}", "x", "\n", "\xFF"}, 8);
    try {
      Template::parse(text, "f:1:1").expand(values);
    } catch (const Error& error) {
      ASSERT_TRUE(fixtures::is_one_line(error.what())) << error.what();
    }
  }
}

}  // namespace
}  // namespace muster::profile
