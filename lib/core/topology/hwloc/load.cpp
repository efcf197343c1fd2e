// Loads a Topology from this machine or from XML.
#include "core/topology/hwloc/load.hpp"

#include "core/error.hpp"
#include "core/text/quote.hpp"
#include "core/topology/driver_facts.hpp"
#include "core/topology/hwloc/contradiction.hpp"
#include "core/topology/hwloc/cpus.hpp"
#include "core/topology/hwloc/gpus.hpp"
#include "core/topology/hwloc/handle.hpp"
#include "core/topology/hwloc/nics.hpp"
#include "core/topology/hwloc/pci_device.hpp"
#include "core/topology/hwloc/try_in_child.hpp"
#include "core/topology/hwloc/xml_check.hpp"

#include <array>
#include <cerrno>
#include <fstream>
#include <string>
#include <system_error>

#include <fmt/format.h>
#include <hwloc.h>

namespace muster::topology::hwloc {
namespace {

constexpr std::string_view rewrite = "export it again with this machine's lstopo";

Topology read(hwloc_topology* hwloc) {
  Topology topology = read_cpus(hwloc);
  const auto devices = read_pci_objects(hwloc);
  read_gpus(hwloc, devices, topology);
  topology.nics = read_nics(devices);
  return topology;
}

[[noreturn]] void cannot_read(std::string_view name, std::string_view why) {
  throw Error(fmt::format("topology {} cannot be read: {}", text::in_quotes(name), why));
}

// Reads at most one byte more than allowed, so that the check detects a file that is too large.
// Does not use the file's size, because a pipe has none.
std::string read_file(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) cannot_read(file.string(), std::generic_category().message(errno));
  std::string text;
  std::array<char, 65536> block{};
  while (text.size() <= max_xml_bytes && stream.read(block.data(), block.size()).gcount() > 0)
    text.append(block.data(), static_cast<std::size_t>(stream.gcount()));
  if (stream.bad()) cannot_read(file.string(), "reading failed; is it a file?");
  return text;
}

// hwloc takes a C string whose length includes the terminating zero.
HwlocHandle load(const std::string& xml, std::string_view name) {
  HwlocHandle hwloc = new_hwloc_topology(Scan::devices);
  if (hwloc_topology_set_xmlbuffer(hwloc.get(), xml.c_str(), static_cast<int>(xml.size() + 1)) != 0)
    cannot_read(name, fmt::format("hwloc does not accept it; {}", rewrite));
  if (!load_hwloc_topology(hwloc.get()))
    cannot_read(name, fmt::format("hwloc finds it damaged; {}", rewrite));
  return hwloc;
}

Topology parse(const std::string& xml, std::string_view name) {
  const HwlocHandle hwloc = load(xml, name);
  if (const auto found = find_contradiction(hwloc.get()); !found.empty())
    throw Error(fmt::format("topology {} contradicts itself: it {}; {}", text::in_quotes(name),
                            found, rewrite));
  Topology topology = read(hwloc.get());
  if (topology.pus.empty()) cannot_read(name, fmt::format("it has no CPU; {}", rewrite));
  return topology;
}

// hwloc trusts XML: one misspelled attribute can make it follow a null pointer. So a child process, in
// which a crash does no harm, reads the text first.
Topology parse_carefully(const std::string& xml, std::string_view name) {
  check_topology_xml(xml, name);
  const auto attempt = [&] {
    try {
      parse(xml, name);
    } catch (const Error&) {  // no crash: the message comes from the second time, in this process
    }
  };
  if (try_in_child(attempt)) return parse(xml, name);
  cannot_read(name, fmt::format("hwloc finds it damaged; {}", rewrite));
}

}  // namespace

Topology scan_machine(Scan scan) {
  const HwlocHandle hwloc = new_hwloc_topology(scan);
  if (!load_hwloc_topology(hwloc.get()))
    throw Error(fmt::format("hwloc cannot read this machine's topology: {}",
                            std::generic_category().message(errno)));
  return read(hwloc.get());
}

Topology load_live_topology(Scan scan) {
  return with_driver_facts(scan_machine(scan), "/");
}

std::string hwloc_version() {
  const unsigned version = hwloc_get_api_version();
  return fmt::format("{}.{}.{}", version >> 16, (version >> 8) & 0xff, version & 0xff);
}

Topology load_xml_topology(const std::filesystem::path& file) {
  return parse_carefully(read_file(file), file.string());
}

Topology parse_xml_topology(std::string_view xml, std::string_view name) {
  return parse_carefully(std::string(xml), name);
}

}  // namespace muster::topology::hwloc
