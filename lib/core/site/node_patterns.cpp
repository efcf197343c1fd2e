#include "core/site/node_patterns.hpp"

#include "core/error.hpp"
#include "core/file/yaml.hpp"
#include "core/slurm/hostlist.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fnmatch.h>

namespace muster::site {
namespace {

bool is_glob(std::string_view text) {
  return text.find_first_of("*?") != text.npos;
}

bool matches(const std::string& glob, const std::string& node) {
  return fnmatch(glob.c_str(), node.c_str(), 0) == 0;
}

}  // namespace

NodePatterns parse_node_patterns(const file::Yaml& list) {
  NodePatterns nodes;
  for (const file::Yaml& item : list.items()) {
    auto text = item.text();
    if (text.empty()) throw item.error("an empty name, which no node has; write a name or a glob");
    if (is_glob(text)) {
      nodes.globs.push_back(std::move(text));
      continue;
    }
    try {
      for (auto& name : slurm::expand_hostlist(text)) nodes.names.insert(std::move(name));
    } catch (const Error& error) {
      throw item.error(error.what());
    }
  }
  return nodes;
}

bool holds_for(const NodePatterns& nodes, const std::string& node) {
  if (nodes.names.empty() && nodes.globs.empty()) return true;
  return nodes.names.contains(node) ||
         std::ranges::any_of(nodes.globs, [&](const auto& glob) { return matches(glob, node); });
}

}  // namespace muster::site
