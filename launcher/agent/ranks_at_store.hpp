// Which of this node's ranks are connected to the rendezvous port: those that have come to torch's store,
// whoever serves it.
#pragma once

#include "core/rendezvous/endpoint.hpp"
#include "core/status/status.hpp"
#include "launcher/agent/ranks/ranks.hpp"

#include <optional>

namespace muster::agent {

class RanksAtStore {
 public:
  // No value if the kernel does not tell. Looks at the ranks' open files until all ranks have come.
  std::optional<status::AtStore> look(rendezvous::Port port, const ranks::Ranks& ranks);

 private:
  std::optional<status::AtStore> all_;
};

}  // namespace muster::agent
