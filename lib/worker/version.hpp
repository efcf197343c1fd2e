// The library's version, for callers and for records.
#pragma once

#include "muster/muster.h"

#include <cstdint>

namespace muster::worker {

inline constexpr int library_version =
    MUSTER_VERSION_MAJOR * 10000 + MUSTER_VERSION_MINOR * 100 + MUSTER_VERSION_PATCH;

// Must be the same in all ranks. A live test builds a library of another release.
#ifdef MUSTER_TEST_RECORD_VERSION
inline constexpr std::uint16_t record_version = MUSTER_TEST_RECORD_VERSION;
#else
inline constexpr auto record_version =
    static_cast<std::uint16_t>(MUSTER_VERSION_MAJOR * 100 + MUSTER_VERSION_MINOR);
#endif

}  // namespace muster::worker
