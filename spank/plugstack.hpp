// The arguments of muster.so's line in plugstack.conf: KEY=VALUE pairs.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace muster::spank {

struct Plugstack {
  std::string muster;                // muster=PATH, the helper program
  std::string config;                // config=PATH, the site's file
  bool config_required = false;      // config_required: without that file no step may use muster
  std::chrono::seconds timeout{60};  // timeout=SECONDS, how long a node may wait for its plan
  bool trust_any_owner = false;      // trust_any_owner: for tests, never on a real node
  std::string error;                 // why the line is wrong; empty when it is right
};

Plugstack parse_plugstack(const std::vector<std::string>& words);

// The program that plans one node, beside muster.
std::string agent_program(const Plugstack& line);

// The reason why a root-owned installation must not run this file; empty where it may.
std::string untrusted_program(const std::string& path, bool trust_any_owner);

// The same for the agent. Nobody but root may read its file: the kernel then lets no other process
// of its user trace it.
std::string untrusted_agent(const std::string& path, bool trust_any_owner);

}  // namespace muster::spank
