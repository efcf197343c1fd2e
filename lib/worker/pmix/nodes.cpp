#include "worker/pmix/nodes.hpp"

#include "worker/error.hpp"
#include "worker/pmix/bounded.hpp"
#include "worker/pmix/status_text.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>

namespace muster::worker::pmix {
namespace {

// Filled in by the querying thread; stays alive if that thread is abandoned.
struct Answers {
  std::vector<Node> nodes;
  bool contiguous = true;
};

// Whether `ranks` are consecutive.
bool dense(const std::vector<int>& ranks) {
  return ranks.back() - ranks.front() + 1 == static_cast<int>(ranks.size());
}

int ask_all(const PmixApi& api, const std::string& nspace, const std::vector<std::string>& names,
            Answers& asked) noexcept {
  try {
    for (const auto& name : names) {
      const auto ranks = ranks_of_node(api, nspace, name);
      if (ranks.empty()) continue;  // in the allocation, but not in this step
      asked.contiguous = asked.contiguous && dense(ranks);
      asked.nodes.push_back({name, ranks.front(), static_cast<int>(ranks.size()), 0});
    }
    return status::success;
  } catch (...) {
    return status::not_found;
  }
}

[[noreturn]] void unknown_nodes(const std::string& why) {
  throw Error{
      MUSTER_ERR_TRANSPORT,
      "PMIx did not report which ranks run on each node: " + why +
          "; use Slurm's numbering (MUSTER_RANKS_SLURM), or report this to muster's authors"};
}

}  // namespace

std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> parts;
  while (!list.empty()) {
    const auto part = list.substr(0, list.find(','));
    list.remove_prefix(std::min(list.size(), part.size() + 1));
    if (!part.empty()) parts.emplace_back(part);
  }
  return parts;
}

std::vector<int> ranks_of_node(const PmixApi& api, const std::string& nspace,
                               const std::string& node) {
  Process* peers = nullptr;
  std::size_t count = 0;
  if (api.resolve_peers(node.c_str(), nspace.c_str(), &peers, &count) != status::success) {
    return {};
  }
  const std::unique_ptr<Process, decltype(&std::free)> owned{peers, &std::free};
  std::vector<int> ranks;
  ranks.reserve(count);
  for (std::size_t i = 0; i < count; ++i) ranks.push_back(static_cast<int>(peers[i].rank));
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

Nodes::Nodes(const PmixApi& api, std::string nspace, std::string_view names, int size,
             const Deadline& deadline)
    : api_(api), nspace_(std::move(nspace)) {
  const auto asked = std::make_shared<Answers>();
  const auto status = run_bounded([&api, nspace = nspace_, list = split(names),
                                   asked] { return ask_all(api, nspace, list, *asked); },
                                  deadline);
  if (!status) unknown_nodes("no answer after " + deadline.elapsed());
  nodes_ = std::move(asked->nodes);
  contiguous_ = asked->contiguous;
  std::sort(nodes_.begin(), nodes_.end(),
            [](const Node& one, const Node& other) { return one.lowest < other.lowest; });
  int start = 0;
  for (auto& node : nodes_) {
    node.start = start;
    start += node.ranks;
  }
  if (*status != status::success || start != size) {
    unknown_nodes("it names " + std::to_string(start) + " of " + std::to_string(size) + " ranks");
  }
}

int Nodes::procid_of(int contiguous) const {
  if (contiguous_) return contiguous;
  const auto after = std::upper_bound(nodes_.begin(), nodes_.end(), contiguous,
                                      [](int rank, const Node& node) { return rank < node.start; });
  const auto& node = *std::prev(after);
  const auto ranks = ranks_of_node(api_, nspace_, node.name);
  return ranks.at(static_cast<std::size_t>(contiguous - node.start));
}

int Nodes::contiguous_of(int procid, std::string_view name) const {
  if (contiguous_) return procid;
  const auto node =
      std::find_if(nodes_.begin(), nodes_.end(), [&](const Node& one) { return one.name == name; });
  if (node == nodes_.end()) unknown_nodes("no node called " + std::string{name});
  const auto ranks = ranks_of_node(api_, nspace_, node->name);
  const auto at = std::lower_bound(ranks.begin(), ranks.end(), procid);
  return node->start + static_cast<int>(at - ranks.begin());
}

}  // namespace muster::worker::pmix
