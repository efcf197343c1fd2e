#include "launcher/agent/rendezvous/addresses.hpp"

#include "core/contains.hpp"

#include <algorithm>

namespace muster::rendezvous {

std::string to_text(const Offer& offer) {
  return record::write(offer);
}

std::optional<Offer> offer_from_text(std::string_view text) {
  return record::read<Offer>(text);
}

std::optional<std::size_t> common_address(std::size_t addresses,
                                          const std::vector<std::vector<std::size_t>>& reached) {
  for (std::size_t index = 0; index < addresses; ++index) {
    const bool by_all = std::all_of(reached.begin(), reached.end(),
                                    [&](const auto& list) { return contains(list, index); });
    if (by_all) return index;
  }
  return std::nullopt;
}

}  // namespace muster::rendezvous
