#include "core/restart/renewed.hpp"

#include "core/restart/saved.hpp"
#include "past_attempts.hpp"

#include <string>

#include <gtest/gtest.h>

namespace muster::restart {
namespace {

const std::chrono::system_clock::time_point start{std::chrono::seconds(1'800'000'000)};

Renewed renewed() {
  Renewed made{.line = 3, .allocated = 5, .past = {}};
  add_attempt(made.past, 1h).first_node = "node1";
  add_attempt(made.past, 1h).first_node = "node2";
  return made;
}

TEST(Renewed, ComesBackAsItWas) {
  const auto made = renewed();
  const auto read = renewed_from(to_text(made, start), start);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->line, 3U);
  EXPECT_EQ(read->allocated, 5U);
  EXPECT_EQ(read->past, made.past);
}

// A later version may add fields.
TEST(Renewed, ReadsWhatItKnows) {
  auto text = to_text(renewed(), start);
  text.insert(1, R"("color":"red",)");
  EXPECT_TRUE(renewed_from(text, start));
}

TEST(Renewed, RefusesEverythingElse) {
  const auto text = to_text(renewed(), start);
  for (std::size_t size = 0; size < text.size(); ++size)
    EXPECT_FALSE(renewed_from(text.substr(0, size), start)) << size;
  for (const auto* other : {"{}", "[]", "null", R"({"line":1,"allocated":2,"attempts":3})",
                            R"({"line":-1,"allocated":2,"attempts":"{}"})",
                            R"({"line":1,"allocated":5000000,"attempts":"{}"})"}) {
    EXPECT_FALSE(renewed_from(other, start)) << other;
  }
  EXPECT_FALSE(renewed_from(to_text(Renewed{}, start), start));
  EXPECT_FALSE(renewed_from(std::string(2 * max_saved_bytes + 1, ' '), start));
}

}  // namespace
}  // namespace muster::restart
