#include "worker/tcp/missing.hpp"

#include "worker/tcp/runs.hpp"

#include <algorithm>
#include <iterator>
#include <set>

namespace muster::worker::tcp {
namespace {

constexpr std::size_t max_items = 8;  // items in a list in one line

std::string list(const std::vector<std::string>& items, std::size_t left_out) {
  std::string text;
  for (std::size_t i = 0; i < std::min(items.size(), max_items); ++i) {
    text += (i > 0 ? ", " : "") + items[i];
  }
  return left_out > 0 ? text + " and " + std::to_string(left_out) + " more" : text;
}

std::string list_runs(const Runs& runs) {
  std::vector<std::string> items;
  std::size_t left_out = 0;
  for (const auto& [first, count] : runs) {
    if (items.size() == max_items) {
      left_out += count;
      continue;
    }
    const auto last = count > 1 ? "-" + std::to_string(first + count - 1) : "";
    items.push_back(std::to_string(first) + last);
  }
  return list(items, left_out);
}

std::string list_nodes(const std::vector<AbsentRank>& ranks) {
  std::vector<std::string> nodes;
  std::set<std::string> known;
  for (const auto& each : ranks) {
    if (!each.node.empty() && known.insert(each.node).second) nodes.push_back(each.node);
  }
  if (nodes.empty()) return {};
  return " (" + list(nodes, nodes.size() - std::min(nodes.size(), max_items)) + ")";
}

}  // namespace

std::string list_ranks(const std::vector<AbsentRank>& ranks) {
  std::vector<int> numbers;
  for (const auto& each : ranks) numbers.push_back(each.rank);
  return (ranks.size() == 1 ? "rank " : "ranks ") + list_runs(to_runs(numbers)) + list_nodes(ranks);
}

std::string absence(const std::vector<AbsentRank>& ranks) {
  std::vector<AbsentRank> never, elsewhere;
  std::partition_copy(ranks.begin(), ranks.end(), std::back_inserter(elsewhere),
                      std::back_inserter(never), [](const auto& each) { return each.connected; });
  std::string text;
  if (!never.empty()) text = list_ranks(never) + " never connected";
  if (!never.empty() && !elsewhere.empty()) text += "; ";
  if (elsewhere.empty()) return text;
  return text + list_ranks(elsewhere) + (elsewhere.size() == 1 ? " is" : " are") +
         " connected but not in this call";
}

}  // namespace muster::worker::tcp
