// What the agents of a step have agreed on: where the ranks rendezvous, and that every node can continue.
#pragma once

#include "core/plan/plan.hpp"
#include "launcher/agent/context.hpp"
#include "launcher/agent/preparation.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace muster::agent {

// By this node's clock.
struct MeetingTimes {
  std::chrono::steady_clock::time_point came;  // the node was prepared
  std::chrono::steady_clock::time_point met;   // all agents had met; `came` if there is only one
};

struct Agreement {
  NodeSetup setup;
  HeldPorts ports;
  rendezvous::Rendezvous rendezvous;
  std::vector<rendezvous::ExportedAddress> exported = {};  // as in PreparedNode
  bool replaces_exported = false;                          // muster's address does, on all nodes
  plan::NodeNetwork network;                               // this node's, towards the rendezvous
  rendezvous::Port exchange = 0;      // on the rendezvous node, for the worker library; 0: none
  std::vector<std::string> warnings;  // this node's, for the user
  MeetingTimes times = {};
};

// The step cannot continue, and another node tells the user why.
class Silent {};

// If the step cannot continue: throws Error with the line for the user, or Silent if another node shows
// that line.
Agreement agree(const StepContext& context, PreparedNode node);

}  // namespace muster::agent
