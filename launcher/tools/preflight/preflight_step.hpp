// The supervisor's preflight: a short step on all of the job's nodes, and the sessions that they open to the
// supervisor.
#pragma once

#include "core/environment.hpp"
#include "core/option/port_range.hpp"
#include "launcher/site/site.hpp"
#include "launcher/tools/preflight/conductor.hpp"

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace muster::preflight {

struct PreflightOrder {
  std::string srun;
  std::string job;
  std::string program;  // the path of muster, the same on every node
  std::vector<std::string> nodes;
  std::vector<std::string> interfaces = {};  // globs
  site::SiteOptions site = {};
  std::optional<option::PortRange> ports = {};
  Times times = {};
};

struct Seen {
  Observation observation = {};
  std::chrono::nanoseconds duration{0};
  std::string failure = {};  // why there were no tests, in one line
};

// `interrupt`: a descriptor that ends the preflight once it is readable, or -1.
Seen run_preflight(const PreflightOrder& order, const Environment& environment, int interrupt = -1);

// The times for the first preflight or for one between attempts, from preflight=SECONDS.
Times times_of(std::chrono::seconds limit, bool between_attempts);

}  // namespace muster::preflight
