// The agents of a step meet at the leader, the agent on the node of rank 0, before any task starts.
//
// This ensures that the port is free and is the same everywhere, and that every node has reached rank 0's
// address. It detects and reports a node without muster. If one node fails, all nodes learn of it
// immediately, and one line reports it.
//
// The leader listens on the rendezvous port itself, so a firewall is detected here rather than in the
// training job.
//
// In the session, each message carries a proof made with the step's key (channel/message.hpp):
//
//   leader -> member   challenge  a nonce
//   member -> leader   hello      its nonce; its node index and attempt
//   leader -> member   welcome    where the ranks may rendezvous (words.hpp)
//   member -> leader   ready      why this node cannot continue, the addresses that it surely reaches, and
//                                 its warnings (node_report.hpp)
//   leader -> member   go         Meet, with the port of the worker library; or Stop, and why; or Check
//                                 if the members have connected through different addresses; then
//   member -> leader   reached    the addresses that it reaches, and a warning for each that it does
//                                 not; and "go" is sent again
//
// In a large step (groups.hpp) the leader keeps connections to only a few members. The welcome makes the
// first members relays, and sends each later member to one of them:
//
//   leader -> member   welcome    Relaying: this member listens for others, and "ready" is followed
//   relay  -> leader   report     by Listening, and where, if it can; then Joined, with the reports of
//                                 the members that have joined it, as they join; in answer to Check,
//                                 Reached as above, for all its members
//   leader -> member   welcome    Elsewhere: the member hangs up, and has the same session with the
//                                 relay, whose welcome is empty
//
// A member that does not find its relay, or loses it, goes back to the leader.
#pragma once

#include "core/layout/ids.hpp"
#include "core/rendezvous/rendezvous.hpp"
#include "launcher/agent/port/held_port.hpp"
#include "launcher/agent/rendezvous/addresses.hpp"
#include "launcher/channel/client.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace muster::layout {
struct Layout;
}

namespace muster::rendezvous {

using Clock = std::chrono::steady_clock;

struct RendezvousInputs {
  secret::Key key{};
  const layout::Layout& layout;
  layout::NodeIndex node = 0;  // this agent's
  Clock::time_point deadline;
  std::vector<std::string> warnings = {};  // this node's, for the user
  channel::Client supervisor;              // empty if there is none to ask
  Port exchange = 0;                       // held by the leader for the worker library; 0: none
  bool replaces_exported = false;  // the leader's: an address that the user exported is wrong
  std::optional<std::size_t> width = {};  // members per node; empty: the leader decides
};

// The result for one agent.
struct Outcome {
  Rendezvous rendezvous;
  Port exchange = 0;               // RendezvousInputs::exchange of the leader
  bool replaces_exported = false;  // RendezvousInputs::replaces_exported of the leader
  std::string failure;             // why the step cannot continue; empty if it can
  // The leader's node reports to the user, so this one stays silent.
  bool reported_elsewhere = false;
  std::vector<std::string> warnings = {};  // from all nodes, each once; empty for members
};

// Runs on the node of rank 0. `failure`: why this node cannot continue; every member receives it.
Outcome lead_rendezvous(const RendezvousInputs& inputs, port::HeldPort& port,
                        const node::NodeAddresses& addresses, const std::string& failure);

// The address at which Slurm knows the leader's node, or why it cannot be resolved.
struct KnownAddress {
  std::optional<asio::ip::address> address;
  std::string why = {};
};

// Runs on every other node.
Outcome join_rendezvous(const RendezvousInputs& inputs, const std::vector<Port>& ports,
                        const KnownAddress& way, const std::string& failure);

}  // namespace muster::rendezvous
