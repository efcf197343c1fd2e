// hwloc's XML, which the site's file may name. hwloc trusts what it reads, so a child process reads it first.
#include "core/topology/hwloc/load.hpp"
#include "core/topology/serialize.hpp"
#include "fixtures/machine_xml.hpp"
#include "fixtures/synthetic_xml.hpp"
#include "target.hpp"

namespace {

using namespace muster;

void read_input(std::string_view text) {
  const auto topology = topology::hwloc::parse_xml_topology(text, "fuzz.xml");
  fuzz::expect(!topology.pus.empty(), "a machine has no CPU");
  fuzz::expect(topology::deserialize(serialize(topology)) == topology, "a topology changes");
}

}  // namespace

std::vector<std::string> fuzz::seeds() {
  return {fixtures::synthetic_xml("pu:1"), fixtures::synthetic_xml("[numa] core:2 pu:2"),
          fixtures::machine_xml("pack:2 [numa] core:1 pu:1",
                                {{.beside = "Package", .bus = 1, .devices = {"nvidia", "mlx5_0"}},
                                 {.beside = "Package", .place = 1, .bus = 2, .devices = {"amd"}}})};
}

// hwloc's own memory comes from malloc() and is bounded by the XML's checked size.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::one_input(data, size, {.base = 64U << 20, .per_byte = 8192}, read_input);
}
