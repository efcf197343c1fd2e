// How many GPUs a program that starts now would find, outside of Slurm.
#pragma once

#include "core/environment.hpp"

#include <cstddef>

namespace muster::topology {
struct Topology;
}

namespace muster::resources {

// NVIDIA's, where there are any, else AMD's or Intel's: a training uses one kind. The runtimes'
// variables are read as the runtimes read them, up to the first name of no GPU; a name that comes
// twice leaves none. MIG instances count.
std::size_t visible_gpu_count(const topology::Topology& topology, const Environment& environment);

}  // namespace muster::resources
