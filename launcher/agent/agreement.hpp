// What the agents of a step have agreed on: where the ranks meet, and that every node can go on.
#pragma once

#include "core/plan/plan.hpp"
#include "launcher/agent/context.hpp"
#include "launcher/agent/preparation.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace muster::agent {

// On this node's clock.
struct MeetingTimes {
  std::chrono::steady_clock::time_point came;  // the node was prepared
  std::chrono::steady_clock::time_point met;   // all agents had met; of one that is alone the same
};

struct Agreement {
  NodeSetup setup;
  HeldPorts ports;
  rendezvous::Rendezvous rendezvous;
  plan::NodeNetwork network;          // this node's, towards the rendezvous
  rendezvous::Port exchange = 0;      // on the rendezvous' node, for the worker library; 0: none
  std::vector<std::string> warnings;  // for the user, by this node
  MeetingTimes times = {};
};

// The step cannot go on, and another node tells the user why.
class Silent {};

// Throws Error with the line for the user if the step cannot go on, Silent if another node shows
// it.
Agreement agree(const StepContext& context, PreparedNode node);

}  // namespace muster::agent
