// hwloc's own synthetic topologies as XML text: "pack:2 [numa] l3:2 core:4 pu:2".
#pragma once

#include <string>

namespace muster::test {

std::string synthetic_xml(const std::string& description);

}  // namespace muster::test
