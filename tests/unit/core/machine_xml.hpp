// Whole machines that tests make up, as XML that hwloc reads: processors by one of its synthetic
// descriptions, and PCI devices hung beside some of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace muster::test {

// A host bridge with one switch. What a device is follows from its name: "nvidia" and "amd" are
// GPUs as a scan without vendors' libraries sees them; mlx5_0 and ibp0s1 are InfiniBand, rdmap0s6
// is EFA, hsi0 is Slingshot, eth0 and what else is an Ethernet interface.
struct PciRoot {
  std::string beside;  // type of an object of the tree: "Package", "NUMANode", "Group"
  unsigned place = 0;  // which of these, in the tree's order
  std::uint8_t bus = 0;
  std::vector<std::string> devices;
};

std::string machine_xml(const std::string& description, const std::vector<PciRoot>& roots);

// The same text with a word for what the memory of some NUMA nodes is, by OS index: "GPUMemory".
std::string with_memory_kind(std::string xml, const std::vector<unsigned>& nodes,
                             const std::string& kind);

}  // namespace muster::test
