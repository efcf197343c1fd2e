// What a node can do for a step on its own: find out what its tasks get, check that they can start, and hold
// the ports for the ranks' rendezvous.
#pragma once

#include "core/profile/profile.hpp"
#include "core/rendezvous/exported_address.hpp"
#include "launcher/agent/context.hpp"
#include "launcher/agent/log_files.hpp"
#include "launcher/agent/node/resources.hpp"
#include "launcher/agent/port/held_port.hpp"
#include "launcher/os/interfaces.hpp"

#include <optional>
#include <string>
#include <vector>

namespace muster::agent {

struct NodeSetup {
  profile::Profile profile;
  node::NodeResources resources;
  profile::OtherSettings others;        // variables from the site's file and from NCCL's own files
  std::optional<os::Interface> chosen;  // with network=
  LogFiles logs;
};

struct HeldPorts {
  std::optional<port::HeldPort> rendezvous;  // on the leader's node
  std::optional<port::HeldPort> exchange;    // likewise, for the worker library
  rendezvous::Port exchange_port = 0;        // as far as this node knows; 0: none
};

struct PreparedNode {
  std::vector<os::Interface>
      interfaces;  // always known: the other nodes must reach even a node that fails
  std::optional<NodeSetup> setup;  // set unless `failure` is
  HeldPorts ports;
  // On the leader's node: the addresses for the rendezvous that the user exported.
  std::vector<rendezvous::ExportedAddress> exported = {};
  std::string failure;  // why this node cannot continue, to be told to all nodes
};

// Throws Error if this node cannot continue and no other node needs to know.
PreparedNode prepare(const StepContext& context);

}  // namespace muster::agent
