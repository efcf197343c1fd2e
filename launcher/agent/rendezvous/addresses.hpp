// Where the agent on rank 0's node can be reached, as text for the others. Pure.
#pragma once

#include "core/rendezvous/port.hpp"
#include "launcher/agent/node/node_addresses.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace muster::rendezvous {

// The leader's answer to `hello`, and its message to the supervisor: its port and its addresses.
struct Offer {
  Port port = 0;
  node::Addresses addresses;
  std::optional<std::size_t> came;  // the address that the member used, if it is one of them
};

std::string to_text(const Offer& offer);

// Nothing for a text that to_text cannot have written.
std::optional<Offer> offer_from_text(std::string_view text);

// The first of these addresses that is in every list.
std::optional<std::size_t> common_address(std::size_t addresses,
                                          const std::vector<std::vector<std::size_t>>& reached);

// "0 3": addresses in a list.
std::string to_text(const std::vector<std::size_t>& indexes);
std::vector<std::size_t> indexes_from_text(std::string_view text);

}  // namespace muster::rendezvous
