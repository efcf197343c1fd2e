// How many GPUs a program started now, outside Slurm, would find.
#pragma once

#include "core/environment.hpp"

#include <cstddef>

namespace muster::topology {
struct Topology;
}

namespace muster::resources {

// Counts NVIDIA's GPUs if there are any, otherwise AMD's or Intel's: a training uses one kind. Reads the
// runtimes' variables as the runtimes do: up to the first name that is not a GPU; a name that occurs twice
// leaves no GPU. MIG instances count.
std::size_t visible_gpu_count(const topology::Topology& topology, const Environment& environment);

}  // namespace muster::resources
