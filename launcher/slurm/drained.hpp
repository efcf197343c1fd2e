// Which of a run's nodes an administrator is draining, for drain=.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace muster::slurm {

// Asks Slurm for at most `timeout`. No value if it does not answer. If Slurm hides the nodes from the user,
// no node counts as drained, and the user is told so once.
std::optional<std::vector<std::string>> ask_drained(std::span<const std::string> nodes,
                                                    std::chrono::milliseconds timeout);

}  // namespace muster::slurm
