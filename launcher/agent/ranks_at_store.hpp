// Which of this node's ranks are connected to the rendezvous port: those that have come to torch's store,
// whoever serves it.
#pragma once

#include "core/at_store.hpp"
#include "core/rendezvous/endpoint.hpp"
#include "launcher/agent/ranks/ranks.hpp"

#include <cstdint>
#include <optional>
#include <set>

namespace muster::agent {

class RanksAtStore {
 public:
  // Those that have come by now, even if they have left since, and the running ranks that have not. No value
  // if the kernel does not tell. Looks at the ranks' open files until all ranks have come.
  std::optional<AtStore> look(rendezvous::Port port, const ranks::Ranks& ranks);

  // The same when a rank has failed: one that has ended had come, even if no look has seen it there.
  std::optional<AtStore> last_look(rendezvous::Port port, const ranks::Ranks& ranks);

  [[nodiscard]] bool have_all_come() const { return all_.has_value(); }

 private:
  std::set<std::uint32_t> there_;
  std::optional<AtStore> all_;
};

}  // namespace muster::agent
