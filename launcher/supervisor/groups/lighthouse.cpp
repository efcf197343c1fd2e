#include "launcher/supervisor/groups/lighthouse.hpp"

#include "core/error.hpp"
#include "launcher/channel/listener.hpp"
#include "launcher/supervisor/attempts/node_pool.hpp"
#include "launcher/supervisor/groups/lighthouse_keeper.hpp"

#include <unistd.h>

namespace muster::groups {

Lighthouse::Lighthouse(LighthouseCommand command, attempts::NodePool& pool,
                       const Environment& environment,
                       const std::optional<option::PortRange>& ports) {
  auto listener = channel::listen(ports);
  if (!listener.socket) {
    throw Error(
        "groups=: no port is free for torchft's lighthouse; export TORCHFT_LIGHTHOUSE to use one of "
        "your own");
  }
  port_ = listener.port;
  // BackgroundChild gives it no terminal.
  const os::Descriptor messages(dup(STDERR_FILENO));
  keeper_.emplace(
      [&] {
        if (messages) dup2(messages.get(), STDERR_FILENO);
        keep_lighthouse(command, pool, environment, std::move(listener.socket));
      },
      std::vector{pool.descriptor(), listener.socket.get(), messages.get()});
}

}  // namespace muster::groups
