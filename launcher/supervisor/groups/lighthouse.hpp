// torchft's lighthouse, which tells the groups who trains. It runs on one of the job's nodes, as a step of
// its own. A second one stands by on another node, because Python takes seconds to start, and takes over if
// the first one ends, hangs, or its node is lost. The groups reach them through this host, at an address that
// stays.
#pragma once

#include "core/environment.hpp"
#include "launcher/os/background_child.hpp"
#include "launcher/supervisor/groups/lighthouse_keeper.hpp"

#include <cstdint>
#include <optional>

namespace muster::attempts {
class NodePool;
}

namespace muster::option {
struct PortRange;
}

namespace muster::groups {

class Lighthouse {
 public:
  // Forks a process that does all of this, and ends with this one. Throws an Error of one line if no port can
  // be had. `pool` must outlive it.
  Lighthouse(LighthouseCommand command, attempts::NodePool& pool, const Environment& environment,
             const std::optional<option::PortRange>& ports);

  // On this host.
  [[nodiscard]] std::uint16_t port() const { return port_; }

  // False once it has given up, because the lighthouse has never run.
  [[nodiscard]] bool runs() { return keeper_->runs(); }

 private:
  std::uint16_t port_ = 0;
  std::optional<os::BackgroundChild> keeper_;
};

}  // namespace muster::groups
