// Which of this node's ranks are connected to the rendezvous port: those that have come to torch's store,
// whoever serves it.
#pragma once

#include "core/rendezvous/endpoint.hpp"
#include "core/status/status.hpp"
#include "launcher/agent/ranks/ranks.hpp"
#include "launcher/agent/tcp_connections.hpp"

#include <map>
#include <optional>
#include <set>
#include <vector>

#include <sys/types.h>

namespace muster::agent {

class RanksAtStore {
 public:
  // No value if the kernel does not tell. Looks at the ranks' open files until all ranks have come.
  std::optional<status::AtStore> look(rendezvous::Port port, const ranks::Ranks& ranks);

 private:
  std::optional<status::AtStore> all_;
};

// The rank of each process: its own, or that of the nearest process above it. Pure.
std::map<pid_t, std::uint32_t> rank_of_processes(const ranks::Ranks& ranks,
                                                 const std::vector<ranks::ProcessStat>& below);

}  // namespace muster::agent
