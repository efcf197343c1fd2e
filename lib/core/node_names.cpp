#include "core/node_names.hpp"

#include "core/error.hpp"
#include "core/hostlist.hpp"

#include <algorithm>
#include <string_view>

#include <fnmatch.h>

namespace muster {
namespace {

bool is_glob(std::string_view text) {
  return text.find_first_of("*?") != text.npos;
}

bool names(const std::string& pattern, const std::string& node) {
  if (is_glob(pattern)) return fnmatch(pattern.c_str(), node.c_str(), 0) == 0;
  return std::ranges::count(expand_hostlist(pattern), node) > 0;
}

}  // namespace

std::vector<std::string> parse_node_names(const Yaml& list) {
  std::vector<std::string> nodes;
  for (const Yaml& item : list.items()) {
    auto text = item.text();
    if (text.empty()) throw item.error("an empty name: no node has it; write a name or a glob");
    try {
      if (!is_glob(text)) expand_hostlist(text);
    } catch (const Error& error) {
      throw item.error(error.what());
    }
    nodes.push_back(std::move(text));
  }
  return nodes;
}

bool holds_for(const std::vector<std::string>& nodes, const std::string& node) {
  return nodes.empty() ||
         std::ranges::any_of(nodes, [&](const auto& each) { return names(each, node); });
}

}  // namespace muster
