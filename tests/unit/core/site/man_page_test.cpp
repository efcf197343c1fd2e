// muster.yaml(5) and the program have the same keys.
#include "core/error.hpp"
#include "core/site/config.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>

#include <gtest/gtest.h>

namespace muster::site {
namespace {

using Names = std::set<std::string>;

// An error about a key that resembles none lists all keys.
Names known_keys() {
  std::string said;
  try {
    parse_config("qqqqqqqqqqqqqqqq: 1\n", "file", ConfigKind::site);
  } catch (const Error& error) {
    said = error.what();
  }
  said = said.substr(std::min(said.find(';'), said.size()));
  Names names;
  const std::regex word("'?([a-z_]+)'?[,.]?(?= |$)");
  for (std::sregex_iterator at(said.begin(), said.end(), word), end; at != end; ++at)
    names.insert((*at)[1]);
  return names;
}

// "policy" for "policy.fix".
Names described_keys() {
  std::ifstream file(MUSTER_SOURCE_DIR "/docs/man/muster.yaml.5");
  std::string page{std::istreambuf_iterator<char>(file), {}};
  page = page.substr(page.find(".SH KEYS\n"), page.find(".SH KEYS OF") - page.find(".SH KEYS\n"));
  Names names;
  const std::regex term(R"(\.TP\n\.B ([a-z_]+))");
  for (std::sregex_iterator at(page.begin(), page.end(), term), end; at != end; ++at)
    names.insert((*at)[1]);
  return names;
}

TEST(MusterYamlPage, HasTheKeysOfTheSitesFileAndNoOthers) {
  const auto known = known_keys();
  ASSERT_TRUE(known.contains("gather_timeout"));
  for (const auto& key : described_keys())
    EXPECT_TRUE(known.contains(key)) << "docs/man/muster.yaml.5 has " << key;
  const auto described = described_keys();
  for (const auto& key : known) {
    try {
      parse_config(key + ":\n  qqqqqqqqqqqqqqqq: 1\n", "file", ConfigKind::site);
    } catch (const Error& error) {
      // The words around the list are not keys.
      if (std::string_view(error.what()).find("unknown key '" + key + "'") !=
          std::string_view::npos)
        continue;
    }
    EXPECT_TRUE(described.contains(key))
        << key << ": add it to docs/reference/configuration.md, and run docs/man/make";
  }
}

}  // namespace
}  // namespace muster::site
