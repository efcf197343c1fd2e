#include "machine_xml.hpp"

#include "synthetic_xml.hpp"

#include <stdexcept>

#include <fmt/format.h>

namespace muster::test {
namespace {

struct Kind {
  const char* prefix;
  const char* type;  // PCI class and vendor
  int os_device;     // hwloc's number for its kind; none: only the PCI device is seen
};

constexpr int none = -1;
constexpr int network = 2;
constexpr int openfabrics = 3;
constexpr Kind kinds[] = {{"nvidia", "0302 [10de:2330] [10de:0000]", none},
                          {"amd", "1200 [1002:74a1] [1002:0000]", none},
                          {"mlx5", "0207 [15b3:1021] [15b3:0000]", openfabrics},
                          {"ibp", "0207 [15b3:1021] [15b3:0000]", openfabrics},
                          {"rdmap", "0200 [1d0f:efa2] [1d0f:0000]", openfabrics},
                          {"hsi", "0200 [17db:0501] [17db:0000]", network},
                          {"", "0200 [8086:1563] [8086:0000]", network}};

const Kind& kind_of(const std::string& name) {
  for (const auto& kind : kinds)
    if (name.starts_with(kind.prefix)) return kind;
  return kinds[0];
}

// gp_index must differ from every other object's; the tree's own are small.
unsigned next_index() {
  static unsigned index = 100000;
  return ++index;
}

std::string device_xml(const std::string& name, unsigned bus) {
  const Kind& kind = kind_of(name);
  std::string inside;
  if (kind.os_device != none)
    inside = fmt::format(R"(<object type="OSDev" gp_index="{}" name="{}" osdev_type="{}"/>)",
                         next_index(), name, kind.os_device);
  return fmt::format(
      R"(<object type="PCIDev" gp_index="{}" pci_busid="0000:{:02x}:00.0" pci_type="{} 00">{}</object>)",
      next_index(), bus, kind.type, inside);
}

std::string root_xml(const PciRoot& root) {
  const unsigned last = root.bus + 1 + static_cast<unsigned>(root.devices.size());
  std::string devices;
  for (std::size_t i = 0; i < root.devices.size(); ++i)
    devices += device_xml(root.devices[i], root.bus + 2 + static_cast<unsigned>(i));
  return fmt::format(
      R"(<object type="Bridge" gp_index="{0}" bridge_type="0-1" depth="0" bridge_pci="0000:[{2:02x}-{3:02x}]">)"
      R"(<object type="Bridge" gp_index="{1}" bridge_type="1-1" depth="1" bridge_pci="0000:[{4:02x}-{3:02x}]" )"
      R"(pci_busid="0000:{2:02x}:01.0" pci_type="0604 [1000:c010] [1000:a096] b0">{5}</object></object>)",
      next_index(), next_index(), root.bus, last, root.bus + 1, devices);
}

// Where the object's children end: NUMA nodes have none, so theirs go to what holds the node.
std::size_t end_of_children(const std::string& xml, const PciRoot& root) {
  std::size_t at = 0;
  const std::string start = fmt::format(R"(<object type="{}")", root.beside);
  for (unsigned seen = 0; seen <= root.place; ++seen) {
    at = xml.find(start, at == 0 ? 0 : at + 1);
    if (at == xml.npos) throw std::runtime_error("the machine has no " + root.beside);
  }
  for (int depth = root.beside == "NUMANode" ? 1 : 0;;) {
    const auto end = xml.find('>', at);
    if (xml.compare(at, 9, "</object>") == 0 && --depth == 0) return at;
    if (xml.compare(at, 7, "<object") == 0 && xml[end - 1] != '/') ++depth;
    at = xml.find('<', end);
  }
}

}  // namespace

std::string machine_xml(const std::string& description, const std::vector<PciRoot>& roots) {
  std::string xml = synthetic_xml(description);
  for (const auto& root : roots) xml.insert(end_of_children(xml, root), root_xml(root));
  return xml;
}

std::string with_memory_kind(std::string xml, const std::vector<unsigned>& nodes,
                             const std::string& kind) {
  for (const unsigned node : nodes) {
    const auto at = xml.find(fmt::format(R"(<object type="NUMANode" os_index="{}")", node));
    if (at == xml.npos) throw std::runtime_error("no such NUMA node");
    xml.insert(at + 7, fmt::format(R"( subtype="{}")", kind));
  }
  return xml;
}

}  // namespace muster::test
