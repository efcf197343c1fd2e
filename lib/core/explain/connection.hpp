// How two devices of a node are connected, in the terms of nvidia-smi topo.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace muster::topology {
struct Gpu;
struct Topology;
}  // namespace muster::topology

namespace muster::explain {

// X for the GPU itself; NV#, NV or XGMI if a link connects the two; otherwise PIX, PXB, PHB, NODE or SYS;
// empty if the location of one of them is unknown.
std::string gpu_connection(const topology::Topology& topology, std::size_t a, std::size_t b);
std::string nic_connection(const topology::Topology& topology, std::size_t gpu, std::size_t nic);

// With GPUs of one vendor the index is a unique name; with several vendors it is not.
std::string gpu_name(const topology::Topology& topology, const topology::Gpu& gpu);  // GPU0, amd0

// The positions of the GPUs that NVLink or XGMI connects to this one.
std::vector<std::size_t> linked_gpus(const topology::Topology& topology, std::size_t gpu);

// The meaning of such a term; empty if it needs no explanation.
std::string_view meaning_of_connection(std::string_view word);

}  // namespace muster::explain
