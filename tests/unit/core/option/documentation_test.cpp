// The guides' tables and the program's tables agree.
#include "core/option/key_table.hpp"
#include "core/profile/placeholder.hpp"

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

std::string row_of(const KeyInfo& key) {
  const std::string form(key.is_switch ? "on|off" : key.form);
  return fmt::format("| `{}` | `{}` | `{}` | {} | {} |\n", key.name,
                     std::regex_replace(form, std::regex(R"(\|)"), R"(\|)"), key.default_text,
                     key.meaning, key.since == not_yet ? "-" : key.since);
}

// MUSTER_UPDATE_GOLDEN=1 writes the table again; then docs/man/make writes the manual page.
TEST(ConfigurationGuide, ListsEveryKeyAsTheProgramKnowsIt) {
  constexpr std::string_view heading =
      "| key | value | default | meaning | since |\n|---|---|---|---|---|\n";
  auto text = guide("reference/configuration.md");
  const auto begin = text.find(heading) + heading.size();
  const auto end = text.find("\n\n", begin) + 1;
  std::string rows;
  for (const KeyInfo& key : keys()) rows += row_of(key);
  if (std::getenv("MUSTER_UPDATE_GOLDEN") != nullptr) {
    text.replace(begin, end - begin, rows);
    std::ofstream(MUSTER_SOURCE_DIR "/docs/reference/configuration.md") << text;
    return;
  }
  EXPECT_EQ(text.substr(begin, end - begin), rows)
      << "docs/reference/configuration.md differs; MUSTER_UPDATE_GOLDEN=1 writes it again";
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
