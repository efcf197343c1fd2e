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
//   host -> guest   welcome    "ADDRESS PORT" where the ranks meet
//   guest -> host   ready      "" or why this node cannot go on; then its warnings, a line each
//   host -> guest   go         "" or why the step cannot go on
#pragma once

#include "attempt.hpp"
#include "core/layout.hpp"
#include "core/plan.hpp"
#include "network.hpp"
#include "port.hpp"

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
};

// How it ended for one agent.
struct Outcome {
  Rendezvous rendezvous;
  std::string failure;                     // why the step cannot go on; empty when it can
  bool told_by_other = false;              // the host's node tells the user: stay silent
  std::vector<std::string> warnings = {};  // of all nodes, each once; empty for guests
};

// On the node of rank 0. `address` empty: the one at which the first guest found us. `trouble`: why
// this node cannot go on; every guest is told.
Outcome host_gathering(const Gathering& gathering, const HeldPort& port, const std::string& address,
                       const std::string& trouble);

// On every other node: `address` is where the host's node is known to Slurm.
Outcome join_gathering(const Gathering& gathering, const std::vector<Port>& ports,
                       const asio::ip::address& address, const std::string& trouble);

}  // namespace muster::agent
