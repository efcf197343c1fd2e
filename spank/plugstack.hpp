// The arguments of muster.so's line in plugstack.conf: KEY=VALUE pairs.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace muster::spank {

struct Plugstack {
  std::string muster;                // muster=PATH, the helper program
  std::string config;                // config=PATH, the site's file
  bool config_required = false;      // config_required: no step may use muster without that file
  std::chrono::seconds timeout{60};  // timeout=SECONDS, how long a node may wait for its plan
  bool trust_any_owner = false;      // trust_any_owner: for tests, never on a real node
  std::string error;                 // what is wrong with the line; empty if it is valid
};

Plugstack parse_plugstack(const std::vector<std::string>& words);

// The program that plans one node, in muster's directory.
std::string agent_program(const Plugstack& line);

// The reason why a root-owned installation must not run this file; empty if it may.
std::string untrusted_program(const std::string& path, bool trust_any_owner);

// The same for the agent. Only root may read its file, so that the kernel does not let the user's other
// processes trace it.
std::string untrusted_agent(const std::string& path, bool trust_any_owner);

}  // namespace muster::spank
