// What a node finds on itself: GPUs, fabrics, its network interface, CPUs and file systems. Whatever can hang
// is asked in children with a deadline.
#pragma once

#include "core/doctor/facts.hpp"
#include "launcher/tools/doctor/gather.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace muster::preflight {

struct LocalPlaces {
  doctor::Surroundings surroundings = {};
  std::string interface = {};                     // of the training's network; empty: not known
  std::vector<std::filesystem::path> disks = {};  // directories to which training jobs write
};

// $TMPDIR or /tmp, $HOME, and the directory of this process; each once.
std::vector<std::filesystem::path> disks_of(const Environment& environment);

// For preflight::judge_node(). Takes disk_timeout and a little more, whatever hangs.
doctor::Facts local_facts(const LocalPlaces& places);

inline constexpr std::chrono::milliseconds disk_timeout{2000};
inline constexpr std::chrono::milliseconds local_timeout{2600};

}  // namespace muster::preflight
