#include "constructed.hpp"

#include "core/topology/hwloc/load.hpp"
#include "fixtures/grace_xml.hpp"

namespace muster::golden {
namespace {

ConstructedMachine construct(const std::string& name, const fixtures::Grace& machine) {
  return {name, topology::hwloc::parse_xml_topology(fixtures::grace_xml(machine), name)};
}

}  // namespace

std::vector<ConstructedMachine> constructed_machines() {
  return {construct("constructed-gh200", fixtures::gh200(1)),
          construct("constructed-gh200-quad", fixtures::gh200(4)),
          construct("constructed-gb200-tray", fixtures::gb200_tray())};
}

}  // namespace muster::golden
