#include "core/site/condition_parsing.hpp"

#include "core/error.hpp"
#include "core/fabric/fabric.hpp"
#include "core/site/globs.hpp"
#include "core/text/list.hpp"
#include "core/text/number.hpp"
#include "core/text/quote.hpp"
#include "core/text/suggestion.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace muster::site {
namespace {

using file::Yaml;

std::vector<fabric::Fabric> parse_fabrics(const Yaml& list) {
  std::vector<fabric::Fabric> fabrics;
  for (const Yaml& item : list.items()) {
    const auto word = item.text();
    if (const auto known = fabric::fabric_named(word)) {
      fabrics.push_back(*known);
      continue;
    }
    std::vector<std::string_view> words;
    for (const auto& name : fabric::fabric_names) words.push_back(name.word);
    throw item.error(fmt::format("fabric {}: not known; {}", text::in_quotes(word),
                                 text::suggestion(word, words)));
  }
  return fabrics;
}

std::size_t parse_count(const Yaml& value) {
  const auto text = value.text();
  if (const auto count = text::number<std::size_t>(text); count && *count > 0) return *count;
  throw value.error(
      fmt::format("min_nodes {}: not a number of nodes; use 1 or more", text::in_quotes(text)));
}

struct Reader {
  std::string_view key;
  void (*read)(Conditions& conditions, const Yaml& value);
};

constexpr std::array readers{
    Reader{"partition", [](Conditions& all, const Yaml& one) { all.partition = parse_glob(one); }},
    Reader{"account", [](Conditions& all, const Yaml& one) { all.account = parse_glob(one); }},
    Reader{"feature", [](Conditions& all, const Yaml& one) { all.feature = parse_glob(one); }},
    Reader{"group", [](Conditions& all, const Yaml& one) { all.group = parse_glob(one); }},
    Reader{"gpu", [](Conditions& all, const Yaml& one) { all.gpu = parse_glob(one); }},
    Reader{"min_nodes", [](Conditions& all, const Yaml& one) { all.min_nodes = parse_count(one); }},
    Reader{"nodes", [](Conditions& all, const Yaml& one) { all.nodes = parse_node_patterns(one); }},
    Reader{"fabric", [](Conditions& all, const Yaml& one) { all.fabrics = parse_fabrics(one); }},
};

}  // namespace

bool take_condition(Conditions& conditions, const Yaml::Entry& entry, const RuleKind& kind) {
  const auto usable = kind.keys.first(kind.conditions);
  const auto reader = std::ranges::find(readers, entry.key, &Reader::key);
  if (reader != readers.end() && std::ranges::count(usable, entry.key) > 0) {
    reader->read(conditions, entry.value);
    return true;
  }
  if (std::ranges::count(kind.keys, entry.key) > 0) return false;
  if (reader == readers.end()) throw unknown_key(entry, kind.name, kind.keys);
  throw entry.key_node.error(fmt::format(
      "{}: not a condition of {}: {}; use {}", text::in_quotes(entry.key), kind.name, kind.why_not,
      text::join(std::vector<std::string>(usable.begin(), usable.end()), ", ")));
}

}  // namespace muster::site
