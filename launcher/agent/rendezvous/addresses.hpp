// Where the agent on rank 0's node can be reached, as text for the other agents. Pure.
#pragma once

#include "core/record/record.hpp"
#include "core/rendezvous/endpoint.hpp"
#include "launcher/agent/node/node_addresses.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <asio/ip/address.hpp>

namespace muster::rendezvous {}  // namespace muster::rendezvous

template <>
struct muster::record::TextOf<asio::ip::address> {
  static std::string to(const asio::ip::address& address) { return address.to_string(); }
  static std::optional<asio::ip::address> from(const std::string& text) {
    asio::error_code wrong;
    const auto address = asio::ip::make_address(text, wrong);
    return wrong ? std::nullopt : std::optional(address);
  }
};

namespace muster::rendezvous {

// The leader's answer to `hello`, and its message to the supervisor: its port and its addresses.
struct Offer {
  Port port = 0;
  node::Addresses addresses;
  std::optional<std::size_t> came;  // the address that the member used, if it is one of them
};
template <class Io>
void fields(Io& io, Offer& offer) {
  constexpr record::Max address{64};
  io(offer.port)(offer.addresses, record::First{node::max_node_addresses}, address)(offer.came);
  io.require(offer.port != 0 && !offer.addresses.empty());
  io.require(!offer.came || *offer.came < offer.addresses.size());
}

std::string to_text(const Offer& offer);

// No value if to_text() cannot have written this text.
std::optional<Offer> offer_from_text(std::string_view text);

// The first of these addresses that appears in every list.
std::optional<std::size_t> common_address(std::size_t addresses,
                                          const std::vector<std::vector<std::size_t>>& reached);

}  // namespace muster::rendezvous
