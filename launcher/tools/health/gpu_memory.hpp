// Whether memory of this node's GPUs is still held by processes that have ended: a driver may need some
// seconds to release it, and the next attempt would find too little.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace muster::health {

// Whether this much is held on a GPU that no process uses; some memory is always in use. Pure.
bool is_held(std::uint64_t used, std::uint64_t total);

// Waits until no GPU that this process may see holds any, for `timeout` at most. True if one still does.
// False also if that cannot be known: without the library, for a GPU that some process uses (it may belong to
// another step), and if the library hangs.
bool gpu_memory_is_held(const std::string& nvml, std::chrono::milliseconds timeout);

}  // namespace muster::health
