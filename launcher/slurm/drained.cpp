#include "launcher/slurm/drained.hpp"

#include "launcher/os/output.hpp"
#include "launcher/slurm/ask.hpp"

#include <atomic>

namespace muster::slurm {
namespace {

void say_hidden() {
  static std::atomic<bool> said{false};
  if (said.exchange(true)) return;
  os::say(os::Severity::warning,
          "drain= does nothing here: Slurm does not show users which nodes are drained "
          "(PrivateData=nodes); leave drain= out, or ask your administrator");
}

}  // namespace

std::optional<std::vector<std::string>> ask_drained(std::span<const std::string> nodes,
                                                    std::chrono::milliseconds timeout) {
  const auto known = ask_nodes(nodes, timeout);
  if (known.empty()) return std::nullopt;
  if (hides_nodes()) say_hidden();
  std::vector<std::string> drained;
  for (const auto& node : known) {
    if (node.drained) drained.push_back(node.name);
  }
  return drained;
}

}  // namespace muster::slurm
