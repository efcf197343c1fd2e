// What the host says to one guest and hears from it, in the order of gather.hpp.
#pragma once

#include "core/layout/layout.hpp"
#include "launcher/channel/message.hpp"
#include "launcher/rendezvous/addresses.hpp"
#include "launcher/rendezvous/node_report.hpp"

#include <functional>
#include <string>
#include <vector>

#include <asio/awaitable.hpp>
#include <asio/ip/tcp.hpp>

namespace muster::agent {

struct Guest {
  asio::ip::tcp::socket socket;
  channel::Proof proof;
  NodeReport report = {};
  std::vector<std::string> unreached = {};  // a line for each place that it has checked in vain
};

// Where the ranks may meet, as told to a guest that has come by this address of ours.
using PlacesFor = std::function<Places(const asio::ip::address&)>;

// Each of these throws where the guest has gone.
//
// From the challenge to "ready". Throws for one that is no guest of a step with so many nodes.
asio::awaitable<NodeIndex> meet(Guest& guest, std::size_t nodes, PlacesFor places);

// Has the guest try all places and say which it reaches: a line of those, a line for each other.
asio::awaitable<std::string> hear_reached(Guest& guest, std::string places);
void note_reached(Guest& guest, const std::string& answer);

// The last word: "meet ADDRESS" or "stop WHY".
asio::awaitable<void> dismiss(Guest& guest, std::string verdict);

}  // namespace muster::agent
