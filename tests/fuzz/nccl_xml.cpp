// NCCL's description of a machine, which the site's file may name.
#include "core/topology/nccl_file.hpp"
#include "target.hpp"

namespace {

using namespace muster;

void read_input(std::string_view text) {
  const auto devices = topology::parse_nccl_topology(text, "fuzz.xml");
  fuzz::expect(devices.size() <= text.size(), "more devices than the text has room for");
}

}  // namespace

std::vector<std::string> fuzz::seeds() {
  return {
      "<system version=\"1\"><cpu numaid=\"0\" affinity=\"0000000f,ff\"><pci "
      "busid=\"ffff:ff:01.0\"><pci busid=\"0000:10:1c.0\"/><pci busid=\"0000:10:1b\"/></pci>"
      "</cpu></system>",
      "<system version=\"1\"><cpu numaid=\"1\" affinity=\"f0\"><pci busid=\"0000:20:00.0\" "
      "class=\"0x060400\"><pci busid=\"0000:21:00.0\" class=\"0x030200\"><gpu dev=\"0\" "
      "rank=\"0\"/></pci><pci busid=\"0000:22:00.0\" class=\"0x020700\"><nic><net "
      "name=\"mlx5_0\"/></nic></pci></pci></cpu></system>"};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::one_input(data, size, {.base = 4U << 20, .per_byte = 4096}, read_input);
}
