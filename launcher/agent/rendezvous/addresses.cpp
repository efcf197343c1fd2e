#include "launcher/agent/rendezvous/addresses.hpp"

#include "core/contains.hpp"
#include "core/text/list.hpp"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>

namespace muster::rendezvous {
std::string to_text(const Offer& offer) {
  auto text = fmt::format("{} {}", offer.port, offer.came ? fmt::to_string(*offer.came) : "-");
  for (const auto& address : offer.addresses) text += ' ' + address.to_string();
  return text;
}

std::optional<Offer> offer_from_text(std::string_view text) {
  std::istringstream words{std::string(text)};
  Offer offer;
  std::string came, word;
  if (!(words >> offer.port >> came)) return std::nullopt;
  while (offer.addresses.size() < node::max_node_addresses && words >> word) {
    asio::error_code wrong;
    offer.addresses.push_back(asio::ip::make_address(word, wrong));
    if (wrong) return std::nullopt;
  }
  const auto index = came == "-" ? std::vector<std::size_t>() : indexes_from_text(came);
  if (!index.empty()) offer.came = index.front();
  if (offer.came && *offer.came >= offer.addresses.size()) return std::nullopt;
  if (offer.port == 0 || offer.addresses.empty()) return std::nullopt;
  return offer;
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

std::string to_text(const std::vector<std::size_t>& indexes) {
  return text::join(indexes, " ");
}

std::vector<std::size_t> indexes_from_text(std::string_view text) {
  std::istringstream words{std::string(text)};
  std::vector<std::size_t> indexes;
  for (std::size_t index = 0; indexes.size() < node::max_node_addresses && words >> index;) {
    indexes.push_back(index);
  }
  return indexes;
}

}  // namespace muster::rendezvous
