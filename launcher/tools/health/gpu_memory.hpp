// Whether memory of this node's GPUs is still held by processes that have ended: a driver may need some
// seconds to release it, and the next attempt would have too little.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace muster::health {

// Whether this much is held on a GPU that no process uses; some memory is always in use. Pure.
bool is_held(std::uint64_t used, std::uint64_t total);

// Waits until no GPU visible to this process holds any, for at most `timeout`. True if one still does. False
// also if that is unknown: without the library, for a GPU that some process uses (it may belong to another
// step), or if the library hangs.
bool gpu_memory_is_held(const std::string& nvml, std::chrono::milliseconds timeout);

}  // namespace muster::health
