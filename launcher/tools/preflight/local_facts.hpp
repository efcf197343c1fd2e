// What a node finds out about itself: GPUs, fabrics, its network interface, CPUs and file systems. Anything
// that can hang is queried in a child with a deadline.
#pragma once

#include "core/doctor/facts.hpp"
#include "launcher/tools/doctor/gather.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace muster::preflight {

struct LocalPlaces {
  doctor::Surroundings surroundings = {};
  std::string interface = {};                     // on the training network; empty: unknown
  std::vector<std::filesystem::path> disks = {};  // directories to which training jobs write
};

// $TMPDIR or /tmp, $HOME, and the current directory of this process; each once.
std::vector<std::filesystem::path> disks_of(const Environment& environment);

// For preflight::judge_node(). Takes at most slightly longer than disk_timeout, whatever hangs.
doctor::Facts local_facts(const LocalPlaces& places);

inline constexpr std::chrono::milliseconds disk_timeout{2000};
inline constexpr std::chrono::milliseconds local_timeout{2600};

}  // namespace muster::preflight
