#include "synthetic_xml.hpp"

#include <stdexcept>

#include <hwloc.h>

namespace muster::test {

std::string synthetic_xml(const std::string& description) {
  hwloc_topology_t topology = nullptr;
  char* buffer = nullptr;
  int length = 0;
  std::string xml;
  hwloc_topology_init(&topology);
  if (hwloc_topology_set_synthetic(topology, description.c_str()) == 0 &&
      hwloc_topology_load(topology) == 0 &&
      hwloc_topology_export_xmlbuffer(topology, &buffer, &length, 0) == 0) {
    xml = buffer;
    hwloc_free_xmlbuffer(topology, buffer);
  }
  hwloc_topology_destroy(topology);
  if (xml.empty()) throw std::runtime_error("hwloc refuses the description " + description);
  return xml;
}

}  // namespace muster::test
