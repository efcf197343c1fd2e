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

// Runs salloc to its end. Tells the user once what salloc is waiting for, if that takes more than a moment.
// Passes a signal to this process on to salloc while salloc waits for resources, and later to the supervisor
// that salloc has started. Returns how salloc ended. The supervisor inside must end with an exit code,
// because salloc returns 0 or 1 after a signal. Throws Error if salloc cannot be started.
Ended run_salloc(const std::vector<std::string>& command, std::optional<std::uint32_t> nodes,
                 const std::function<void(const std::string& line)>& say);

}  // namespace muster::slurm
