// The guides' tables and the program's tables agree.
#include "core/option/key_table.hpp"
#include "core/profile/placeholder.hpp"

#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>

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

TEST(ConfigurationGuide, ListsEveryKeyAsTheProgramKnowsIt) {
  const std::string text = guide("configuration.md");
  for (const KeyInfo& key : keys()) {
    const std::string form(key.is_switch ? "on|off" : key.form);
    const std::string row =
        fmt::format("| `{}` | `{}` | `{}` | {} | {} |\n", key.name,
                    std::regex_replace(form, std::regex(R"(\|)"), R"(\|)"), key.default_text,
                    key.meaning, key.since == not_yet ? "-" : key.since);
    EXPECT_NE(text.find(row), std::string::npos) << "docs/configuration.md lacks\n" << row;
  }
}

// The terms of its section KEYS: "bind" from ".BR bind = auto", and both from ".BR explain \", \" dry\-run".
std::set<std::string> keys_of_manual_page() {
  auto page = guide("man/srun-distributed.7");
  page = page.substr(page.find(".SH KEYS\n"), page.find(".SH PROFILES") - page.find(".SH KEYS\n"));
  page = std::regex_replace(page, std::regex(R"(\\-)"), "-");
  std::set<std::string> names;
  const std::regex term(R"re(\.TP\n\.BR? ([a-z-]+)(?: ", " ([a-z-]+))?)re");
  for (std::sregex_iterator at(page.begin(), page.end(), term), end; at != end; ++at) {
    names.insert((*at)[1]);
    if ((*at)[2].matched) names.insert((*at)[2]);
  }
  return names;
}

TEST(ManualPage, HasEveryKeyAndNoOther) {
  std::set<std::string> known;
  for (const KeyInfo& key : keys()) known.emplace(key.name);
  EXPECT_EQ(keys_of_manual_page(), known);
}

TEST(ProfilesGuide, ListsEveryPlaceholderAsTheProgramKnowsIt) {
  const std::string text = guide("profiles.md");
  for (const profile::PlaceholderInfo& known : profile::placeholders()) {
    const std::string row = fmt::format("| `{{{}}}` | {} |{}|\n", known.name, known.meaning,
                                        known.identity ? " yes " : " ");
    EXPECT_NE(text.find(row), std::string::npos) << "docs/profiles.md lacks\n" << row;
  }
}

}  // namespace
}  // namespace muster::option
