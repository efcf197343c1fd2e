// Whether memory of this node's GPUs is still held by processes that have ended: a driver may need some
// seconds to give it back, and the next attempt would find too little.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace muster::health {

// Of one GPU that no process uses: some memory is always in use. Pure.
bool is_held(std::uint64_t used, std::uint64_t total);

// Waits until no GPU that this process may see holds any, for `patience` at most. False, too, where nobody
// can be asked: without the library, for a GPU that some process uses (it may be another step's), and
// where the library hangs.
bool gpu_memory_is_held(const std::string& nvml, std::chrono::milliseconds patience);

}  // namespace muster::health
