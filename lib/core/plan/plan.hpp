// Makes a node's plan from facts collected earlier. Pure: the same inputs give the same plan on a node,
// offline, and in a test.
#pragma once

#include "core/environment.hpp"
#include "core/group_number.hpp"
#include "core/layout/ids.hpp"
#include "core/option/variable_policy.hpp"
#include "core/plan/node_plan.hpp"
#include "core/profile/profile.hpp"
#include "core/profile/store_server.hpp"
#include "core/rendezvous/rendezvous.hpp"
#include "core/resources/task_resources.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace muster::layout {
struct Layout;
}

namespace muster::request {
struct Request;
}

namespace muster::plan {

// The network of this node that a framework should use.
struct NodeNetwork {
  std::string interface;  // the interface that reaches the rendezvous; empty: unknown
  std::string address;    // this node's address on it; empty: unknown
  // A program that is told only the interface takes its first address, which is another one.
  bool has_other_first_address = false;
  // The name of another interface begins with this one's name.
  bool is_prefix = false;
};

// The endpoints for a framework with one server port per task; empty if the profile does not ask for them.
struct Endpoints {
  std::vector<std::string> all;       // "address:port" by rank
  std::vector<rendezvous::Port> own;  // those of this node, by local task ID
};

struct PlanInputs {
  const request::Request& request;
  const profile::Profile& profile;
  const layout::Layout& layout;
  layout::NodeIndex node = 0;
  rendezvous::Rendezvous rendezvous;
  bool replaces_exported = false;  // the address that the user exported is out of date
  NodeNetwork network;
  std::vector<resources::TaskResources> resources;  // by local task ID
  Endpoints endpoints;
  std::string run_id;
  std::string error_directory;  // one file per local task; empty: no directory
  std::string log_directory;    // empty without logs=
  std::string start_hook = {};  // the directory of Python's; empty: none
  profile::StoreServer store = {};
  std::optional<GroupNumber> group = {};  // with groups=
  std::string lighthouse = {};            // its URL; empty: the supervisor runs none
  std::uint32_t attempt = 0;
  const Environment& environment;      // the job's
  profile::OtherSettings others = {};  // from the site's file and NCCL's own files on this node
  option::VariablePolicy policy = {};  // the site's, for variables set here
};

NodePlan make_plan(const PlanInputs& inputs);

}  // namespace muster::plan
