// How many GPUs a program would find if it were started now, outside Slurm.
#pragma once

#include "core/environment.hpp"

#include <cstddef>

namespace muster::topology {
struct Topology;
}

namespace muster::resources {

// Counts NVIDIA's GPUs if there are any, otherwise AMD's or Intel's: a training run uses only one kind. Reads
// the runtimes' variables as the runtimes do: up to the first name that is not a GPU; a name that occurs
// twice leaves no GPU. MIG instances count.
std::size_t visible_gpu_count(const topology::Topology& topology, const Environment& environment);

}  // namespace muster::resources
