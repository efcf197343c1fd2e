// A node's processors and memory as a tree, which hwloc's XML needs and Topology does not have.
#pragma once

#include "core/picture/element.hpp"
#include "core/topology/topology.hpp"

#include <string>
#include <vector>

namespace muster::picture {

struct Part {
  CpuSet cpus;
  Element element;  // without what is below
  std::vector<Part> below = {};
  std::vector<Element> memory = {};
  std::vector<Element> devices = {};
};

// Goes to the smallest part of the tree that holds it.
void insert(Part& tree, Part part);

// The outermost part with exactly these CPUs, else the smallest one around them; the whole tree
// for none.
Part& holder_of(Part& tree, const CpuSet& cpus);

// cpuset and nodeset, as every object but devices has them.
std::vector<std::pair<std::string, std::string>> sets(const topology::Topology& topology,
                                                      const CpuSet& cpus);

Element to_element(Part part);

}  // namespace muster::picture
