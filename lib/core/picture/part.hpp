// A node's processors and memory as a tree, which hwloc's XML needs and Topology does not have.
#pragma once

#include "core/cpuset.hpp"
#include "core/picture/element.hpp"

#include <string>
#include <vector>

namespace muster::topology {
struct Topology;
}

namespace muster::picture {

struct Part {
  CpuSet cpus;
  Element element;  // without its children
  std::vector<Part> below = {};
  std::vector<Element> memory = {};
  std::vector<Element> devices = {};
};

// Inserts `part` below the smallest part of the tree that contains it.
void insert(Part& tree, Part part);

// The outermost part with exactly these CPUs, otherwise the smallest part that contains them. For an empty
// set, the whole tree.
Part& holder_of(Part& tree, const CpuSet& cpus);

// The attributes cpuset and nodeset, which every object except devices has.
std::vector<std::pair<std::string, std::string>> sets(const topology::Topology& topology,
                                                      const CpuSet& cpus);

Element to_element(Part part);

}  // namespace muster::picture
