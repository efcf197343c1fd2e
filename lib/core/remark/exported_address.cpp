#include "core/remark/exported_address.hpp"

#include "core/text/quote.hpp"

#include <fmt/format.h>

namespace muster::remark {
namespace {

std::string why_wrong(rendezvous::Leads leads, const RankZero& rank_0) {
  switch (leads) {
    case rendezvous::Leads::to_itself:
      return fmt::format("on each of the {} nodes, it is that node's own address", rank_0.nodes);
    case rendezvous::Leads::nowhere:
      return fmt::format("{}, where rank 0 runs, cannot resolve it", rank_0.node);
    default:
      return fmt::format("rank 0 runs on {} ({})", rank_0.node, rank_0.address);
  }
}

}  // namespace

std::string kept_address(const rendezvous::ExportedAddress& exported, const RankZero& rank_0) {
  if (is_right(exported, rank_0.nodes)) return {};
  return fmt::format(
      "{0}={1} is exported, so it is kept, but {2}; unset {0}, or the ranks may wait for each other at "
      "different addresses",
      exported.name, text::printable(exported.value), why_wrong(exported.leads, rank_0));
}

std::string replaced_address(const rendezvous::ExportedAddress& exported, const RankZero& rank_0,
                             const std::string& of) {
  return fmt::format(
      "{0}={1} is exported, but rank 0 of this {2} runs on {3}, so muster sets {0} to {4}; unset {0}, "
      "and muster sets it correctly every time",
      exported.name, text::printable(exported.value), of, rank_0.node, rank_0.address);
}

}  // namespace muster::remark
