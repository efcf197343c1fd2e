#include "worker/pmix/numbering.hpp"

#include "worker/own_address.hpp"

#include <algorithm>
#include <numeric>

namespace muster::worker::pmix {

Numbering::Numbering(const Session& session, const Environment& environment, muster_numbering asked,
                     const Deadline& deadline)
    : contiguous_(wants_contiguous(environment, asked)) {
  const auto& local = session.local();
  locate(session, environment, deadline);
  const auto mine = std::lower_bound(local.ranks.begin(), local.ranks.end(), local.procid);
  place_.size = local.size;
  place_.procid = local.procid;
  place_.rank = contiguous_ ? place_.contiguous_rank : place_.procid;
  place_.local_rank = static_cast<int>(mine - local.ranks.begin());
  place_.local_size = static_cast<int>(local.ranks.size());
  place_.node = local.node;
  place_.address = own_address(environment);
}

void Numbering::locate(const Session& session, const Environment& environment,
                       const Deadline& deadline) {
  const auto& local = session.local();
  const auto position = position_from_environment(environment, local);
  if (position) {
    place_.node_rank = position->node_rank;
    place_.node_count = local.nodes;
    place_.contiguous_rank = position->contiguous_rank;
  }
  if (position && !contiguous_) return;
  nodes_.emplace(session.api(), local.nspace, local.node_list, local.size, deadline);
  const auto& all = nodes_->all();
  const auto mine = std::find_if(all.begin(), all.end(),
                                 [&](const Node& node) { return node.name == local.node; });
  place_.node_rank = mine == all.end() ? unknown : static_cast<int>(mine - all.begin());
  place_.node_count = static_cast<int>(all.size());
  place_.contiguous_rank = nodes_->contiguous_of(local.procid, local.node);
}

int Numbering::procid_of(int rank) const {
  return contiguous_ ? nodes_->procid_of(rank) : rank;
}

int Numbering::rank_of(int procid, std::string_view node) const {
  return contiguous_ ? nodes_->contiguous_of(procid, node) : procid;
}

std::vector<int> Numbering::local_ranks(const Session& session) const {
  auto ranks = session.local().ranks;
  // A node's ranks follow each other in that numbering.
  if (contiguous_) std::iota(ranks.begin(), ranks.end(), place_.rank - place_.local_rank);
  return ranks;
}

}  // namespace muster::worker::pmix
