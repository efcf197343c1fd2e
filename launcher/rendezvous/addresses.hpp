// Where the agent on rank 0's node can be met, as text for the others. Pure.
#pragma once

#include "core/rendezvous/ports.hpp"
#include "launcher/node/host_addresses.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace muster::agent {

// The host's answer to `hello`, and what it tells the supervisor: its port, and its addresses.
struct Places {
  Port port = 0;
  Addresses addresses;
  std::optional<std::size_t> came;  // the address at which the guest has come, if it is one of them
};

std::string to_text(const Places& places);

// Nothing for a text that to_text cannot have written.
std::optional<Places> places_from_text(std::string_view text);

// The first of `places` places that is in every list.
std::optional<std::size_t> common_place(std::size_t places,
                                        const std::vector<std::vector<std::size_t>>& reached);

// "0 3": places in a list.
std::string to_text(const std::vector<std::size_t>& indexes);
std::vector<std::size_t> indexes_from_text(std::string_view text);

}  // namespace muster::agent
