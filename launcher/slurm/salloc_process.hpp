// salloc as this process's child. This process cannot become salloc: once its command runs, salloc ignores
// the signals that srun passes on, so `timeout 60 srun ...` would never end.
#pragma once

#include "launcher/slurm/srun.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::slurm {

// "waiting for 3 nodes (job 47); Ctrl-C cancels". Either may be unknown.
std::string waiting_text(std::optional<std::uint32_t> nodes, std::string_view job);

// Runs salloc to its end. Says once what it waits for, if that takes more than a moment. A signal to this
// process reaches salloc while it waits for resources, and later the supervisor that it has started. Ends as
// salloc does. The supervisor in it must end with an exit code: after a signal salloc returns 0 or 1. Throws
// Error if salloc cannot be started.
Ended run_salloc(const std::vector<std::string>& command, std::optional<std::uint32_t> nodes,
                 const std::function<void(const std::string& line)>& say);

}  // namespace muster::slurm
