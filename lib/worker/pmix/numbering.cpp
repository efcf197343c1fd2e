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
  info_.size = local.size;
  info_.procid = local.procid;
  info_.rank = contiguous_ ? info_.contiguous_rank : info_.procid;
  info_.local_rank = static_cast<int>(mine - local.ranks.begin());
  info_.local_size = static_cast<int>(local.ranks.size());
  info_.node = local.node;
  info_.address = own_address(environment);
}

void Numbering::locate(const Session& session, const Environment& environment,
                       const Deadline& deadline) {
  const auto& local = session.local();
  const auto position = position_from_environment(environment, local);
  if (position) {
    info_.node_rank = position->node_rank;
    info_.node_count = local.nodes;
    info_.contiguous_rank = position->contiguous_rank;
  }
  if (position && !contiguous_) return;
  nodes_.emplace(session.api(), local.nspace, local.node_list, local.size, deadline);
  const auto& all = nodes_->all();
  const auto mine = std::find_if(all.begin(), all.end(),
                                 [&](const Node& node) { return node.name == local.node; });
  info_.node_rank = mine == all.end() ? unknown : static_cast<int>(mine - all.begin());
  info_.node_count = static_cast<int>(all.size());
  info_.contiguous_rank = nodes_->contiguous_of(local.procid, local.node);
}

int Numbering::procid_of(int rank) const {
  return contiguous_ ? nodes_->procid_of(rank) : rank;
}

int Numbering::rank_of(int procid, std::string_view node) const {
  return contiguous_ ? nodes_->contiguous_of(procid, node) : procid;
}

std::vector<int> Numbering::local_ranks(const Session& session) const {
  auto ranks = session.local().ranks;
  // A node's ranks are consecutive in that numbering.
  if (contiguous_) std::iota(ranks.begin(), ranks.end(), info_.rank - info_.local_rank);
  return ranks;
}

}  // namespace muster::worker::pmix
