// The guides' tables and the program's tables agree.
#include "core/option/key_table.hpp"
#include "core/profile/placeholder.hpp"
#include "core/text/duration.hpp"

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace muster::option {
namespace {

std::string guide(const std::string& name) {
  std::ifstream file(MUSTER_SOURCE_DIR "/docs/" + name);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string cell(std::string_view text) {
  return std::regex_replace(std::string(text), std::regex(R"(\|)"), R"(\|)");
}

std::string unit_of(const KeyInfo& key) {
  if (key.unit.count() == 0) return "";
  return key.unit == std::chrono::minutes(1) ? "min" : "s";
}

// What a launch must have for the key to work.
std::string_view need_of(const KeyInfo& key) {
  switch (key.needs) {
    case Need::nothing:
    case Need::node:
      return "";
    case Need::agent:
      return "an agent";
    case Need::supervisor:
      return "the supervisor";
    case Need::slurm:
      return "the supervisor, a Slurm job";
  }
  return "";
}

// "10s" for a time, as the help shows it.
std::string default_of(const KeyInfo& key) {
  if (key.unit.count() == 0) return key.default_text;
  const auto time = text::duration(key.default_text, key.unit);
  return time ? text::to_text(*time) : key.default_text;
}

std::string row_of(const KeyInfo& key) {
  const std::string form(key.is_switch ? "on|off" : key.form);
  return fmt::format("| `{}` | `{}` | {} | `{}` | {} | {} | {} | {} |\n", key.name, cell(form),
                     cell(key.meaning), default_of(key), key.range, unit_of(key), need_of(key),
                     key.since == not_yet ? "-" : key.since);
}

// MUSTER_UPDATE_GOLDEN=1 writes the table again; then docs/man/make writes the manual page.
TEST(OptionReference, ListsEveryKeyAsTheProgramKnowsIt) {
  constexpr std::string_view page = "reference/option.md";
  constexpr std::string_view begin_mark = "<!-- keys: begin -->\n";
  auto text = guide(std::string(page));
  const auto begin = text.find(begin_mark);
  const auto end = text.find("<!-- keys: end -->");
  ASSERT_NE(begin, std::string::npos);
  ASSERT_NE(end, std::string::npos);
  const auto first = begin + begin_mark.size();
  std::string rows =
      "| key | value | meaning | default | range | unit | needs | since |\n"
      "|---|---|---|---|---|---|---|---|\n";
  for (const KeyInfo& key : keys()) rows += row_of(key);
  if (std::getenv("MUSTER_UPDATE_GOLDEN") != nullptr) {
    text.replace(first, end - first, rows);
    std::ofstream(fmt::format("{}/docs/{}", MUSTER_SOURCE_DIR, page)) << text;
    return;
  }
  EXPECT_EQ(text.substr(first, end - first), rows)
      << "docs/" << page << " differs; MUSTER_UPDATE_GOLDEN=1 writes it again";
}

// A key's own section may say more than its row.
TEST(OptionReference, HasASectionForNoUnknownKey) {
  const auto text = guide("reference/option.md");
  const std::regex heading(R"(\n### `([a-z-]+)=)");
  for (std::sregex_iterator at(text.begin(), text.end(), heading), end; at != end; ++at) {
    EXPECT_NE(find_key((*at)[1].str()), nullptr) << (*at)[1];
  }
}

// The terms of its section KEYS: "bind" of ".B bind=auto|none".
std::set<std::string> keys_of_manual_page() {
  auto page = guide("man/srun-distributed.7");
  page = page.substr(page.find(".SH KEYS\n"), page.find(".SH PROFILES") - page.find(".SH KEYS\n"));
  page = std::regex_replace(page, std::regex(R"(\\-)"), "-");
  std::set<std::string> names;
  const std::regex term(R"re(\.TP\n\.B ([a-z-]+)=)re");
  for (std::sregex_iterator at(page.begin(), page.end(), term), end; at != end; ++at) {
    names.insert((*at)[1]);
  }
  return names;
}

TEST(ManualPage, HasEveryKeyAndNoOther) {
  std::set<std::string> known;
  for (const KeyInfo& key : keys()) known.emplace(key.name);
  EXPECT_EQ(keys_of_manual_page(), known);
}

TEST(ProfilesGuide, ListsEveryPlaceholderAsTheProgramKnowsIt) {
  const std::string text = guide("reference/profiles.md");
  for (const profile::PlaceholderInfo& known : profile::placeholders()) {
    const std::string row = fmt::format("| `{{{}}}` | {} |{}|\n", known.name, known.meaning,
                                        known.identity ? " yes " : " ");
    EXPECT_NE(text.find(row), std::string::npos) << "docs/reference/profiles.md lacks\n" << row;
  }
}

}  // namespace
}  // namespace muster::option
