// The ports that the step may use, in order: the user's, those leased by Slurm, or the site's range from a
// position that is a hash of the step's name, so that steps differ. Pure; the node of rank 0 tries them
// (launcher/agent/port).
#pragma once

#include "core/option/port_range.hpp"
#include "core/origin.hpp"
#include "core/rendezvous/endpoint.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::rendezvous {

// The values by which the ports of two steps differ.
struct StepName {
  std::string cluster;
  std::uint32_t job_id = 0;
  std::uint32_t step_id = 0;
  std::uint32_t attempt = 0;
};

struct PortSources {
  std::optional<std::string> user;  // MASTER_PORT, exported by the user; empty: as if it were not
  std::optional<option::PortRange> option;  // port=
  Origin option_origin = Origin::option;
  std::optional<std::string> reserved;   // SLURM_STEP_RESV_PORTS, leased by slurmctld
  option::PortRange site{61000, 65535};  // port_range: in the site's file
};

struct PortCandidates {
  std::vector<Port> ports;  // in order of preference, never empty
  Origin origin = Origin::rendezvous;
  std::string source;  // for messages: "MASTER_PORT", "port=", "MpiParams=ports=", "port_range"
};

inline constexpr std::size_t max_port_candidates = 16;

// Every agent computes the same list. Throws Error if MASTER_PORT is not a usable port.
PortCandidates port_candidates(const PortSources& sources, const StepName& step);

// The ports on which the agents look for each other: the candidates, then ports that have no other use. On
// one of those, a host whose only candidate is taken can still report that.
std::vector<Port> meeting_ports(const PortCandidates& candidates, const PortSources& sources,
                                const StepName& step);

// Ports for a node's own tasks (TensorFlow's servers), to be tried in this order; never `taken`, the
// rendezvous port. Slurm leases one port more than a node has tasks.
std::vector<Port> task_port_candidates(const PortSources& sources, const StepName& step,
                                       std::size_t tasks, Port taken);

// The ports on which the worker library's ranks meet if there is no PMIx: a second port besides `taken`
// (MASTER_PORT), and never the port after that, which belongs to the program: most programs that need a
// second store open it at MASTER_PORT+1. To be tried in this order; if none is free, the step runs without
// one.
std::vector<Port> exchange_port_candidates(const PortSources& sources, const StepName& step,
                                           Port taken);

// Parses "20001-20003,20010"; returns at most `most` ports.
std::vector<Port> parse_reserved_ports(std::string_view text,
                                       std::size_t most = max_port_candidates);

}  // namespace muster::rendezvous
