// The agents of a step gather at the one on the node of rank 0 before any task starts.
//
// What it buys: the port is known to be free and is the same everywhere, every node has reached
// rank 0's address, a node without muster is found and named, and one node's trouble is everybody's
// at once, told by one line.
//
// The host listens on the rendezvous port itself, so a firewall shows here and not in the training.
//
// The conversation, each message proved by the step's key (channel/message.hpp):
//
//   host -> guest   challenge  a nonce
//   guest -> host   hello      its node index, its nonce
//   host -> guest   welcome    where the ranks may meet (gather_place.hpp)
//   guest -> host   ready      "" or why this node cannot go on; a line with the places that it
//                              reaches for sure; then its warnings, a line each
//   host -> guest   go         "meet ADDRESS PORT", the port being the worker library's or 0; or
//                              "stop WHY"; or "check PLACES" where the guests have come by
//                              different addresses; then
//   guest -> host   reached    the places that it reaches; then a line for each that it does not,
//                              and "go" comes again
#pragma once

#include "core/layout/layout.hpp"
#include "core/plan/plan.hpp"
#include "launcher/channel/client.hpp"
#include "launcher/port/held_port.hpp"
#include "launcher/rendezvous/addresses.hpp"
#include "launcher/step/attempt.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace muster::agent {

using Clock = std::chrono::steady_clock;

struct Gathering {
  StepKey key{};
  const Layout& layout;
  NodeIndex node = 0;  // this agent's
  Clock::time_point deadline;
  std::vector<std::string> warnings = {};  // what this node has to tell the user
  channel::Caller caller;                  // to the supervisor, if there is one to ask
  Port exchange = 0;                       // held by the host for the worker library; 0: none
};

// How it ended for one agent.
struct Outcome {
  Rendezvous rendezvous;
  Port exchange = 0;                       // Gathering::exchange of the host
  std::string failure;                     // why the step cannot go on; empty when it can
  bool told_by_other = false;              // the host's node tells the user: stay silent
  std::vector<std::string> warnings = {};  // of all nodes, each once; empty for guests
};

// On the node of rank 0. `trouble`: why this node cannot go on; every guest is told.
Outcome host_gathering(const Gathering& gathering, const HeldPort& port,
                       const HostAddresses& addresses, const std::string& trouble);

// Where the host's node is known to Slurm; why not, where that cannot be resolved.
struct WayToHost {
  std::optional<asio::ip::address> address;
  std::string why = {};
};

// On every other node.
Outcome join_gathering(const Gathering& gathering, const std::vector<Port>& ports,
                       const WayToHost& way, const std::string& trouble);

}  // namespace muster::agent
