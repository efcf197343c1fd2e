// pugixml reads the file: it does not expand a document's own entities and does not recurse.
#include "core/topology/nccl_file.hpp"

#include "core/error.hpp"
#include "core/text/quote.hpp"

#include <charconv>
#include <cstring>
#include <set>

#include <fmt/format.h>
#include <pugixml.hpp>

namespace muster::topology {
namespace {

constexpr std::size_t max_file_depth = 64;
constexpr std::size_t max_devices = 4096;

class Reader {
 public:
  explicit Reader(std::string_view name) : name_(name) {}

  std::vector<DeviceLocation> read(const pugi::xml_node& system) {
    for (const auto& cpu : system.children("cpu")) read_cpu(cpu);
    if (places_.empty())
      refuse("has no PCI device", "NCCL_TOPO_DUMP_FILE makes NCCL write a topology");
    return std::move(places_);
  }

  [[noreturn]] void refuse(std::string_view why, std::string_view remedy) const {
    throw Error(fmt::format("NCCL topology {} {}; {}", text::in_quotes(name_), why, remedy));
  }

 private:
  void read_cpu(const pugi::xml_node& cpu) {
    DeviceLocation place;
    const int numa = cpu.attribute("numaid").as_int(-1);
    if (numa >= 0) place.numa = static_cast<unsigned>(numa);
    place.affinity = parse_mask(cpu.attribute("affinity").as_string());
    place.buses.push_back(next_bus());
    read_devices(cpu, place);
  }

  // A device with devices below it is a switch.
  void read_devices(const pugi::xml_node& parent, const DeviceLocation& above) {
    if (above.buses.size() > max_file_depth)
      refuse(fmt::format("is nested more than {} levels deep", max_file_depth),
             "do not use this file");
    for (const auto& pci : parent.children("pci")) {
      auto place = above;
      place.address = address_of(pci);
      if (!pci.child("pci")) {
        if (!seen_.insert(place.address).second)
          refuse(fmt::format("contradicts itself: it places {} twice", to_string(place.address)),
                 "correct the file");
        places_.push_back(place);
        if (places_.size() > max_devices) refuse("has too many devices", "do not use this file");
        continue;
      }
      place.buses.push_back(next_bus());
      read_devices(pci, place);
    }
  }

  [[nodiscard]] PciAddress address_of(const pugi::xml_node& pci) const {
    std::string text = pci.attribute("busid").as_string();
    // NCCL also accepts an address without the function.
    if (text.find('.') == std::string::npos) text += ".0";
    try {
      return PciAddress::parse(text);
    } catch (const Error&) {
      refuse(fmt::format("has an invalid busid, {}", text::in_quotes(text)),
             "write it like 0000:07:00.0");
    }
  }

  // "00000000,00ffffff": 32-bit words in hexadecimal, the highest first.
  [[nodiscard]] CpuSet parse_mask(std::string_view text) const {
    CpuSet cpus;
    unsigned base = 0;
    while (!text.empty()) {
      const auto comma = text.rfind(',');
      const auto word = comma == text.npos ? text : text.substr(comma + 1);
      std::uint32_t bits = 0;
      const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), bits, 16);
      if (error != std::errc{} || end != word.data() + word.size() || base >= CpuSet::index_limit)
        refuse("has an affinity that is not a CPU mask", "correct the file");
      for (unsigned bit = 0; bit < 32; ++bit)
        if ((bits >> bit & 1U) != 0) cpus.add(base + bit);
      base += 32;
      text = comma == text.npos ? std::string_view() : text.substr(0, comma);
    }
    return cpus;
  }

  // Switches in such files have made-up addresses, and several often share one.
  PciBus next_bus() {
    constexpr std::uint32_t beyond_every_domain = 0xfffd0000;
    const auto number = buses_++;
    return {beyond_every_domain + (number >> 8), static_cast<std::uint8_t>(number)};
  }

  std::string_view name_;
  std::vector<DeviceLocation> places_;
  std::set<PciAddress> seen_;
  std::uint32_t buses_ = 0;
};

}  // namespace

std::vector<DeviceLocation> parse_nccl_topology(std::string_view xml, std::string_view name) {
  Reader reader(name);
  if (xml.size() > max_nccl_bytes)
    reader.refuse(fmt::format("is larger than {} KiB", max_nccl_bytes >> 10), "is it a topology?");
  pugi::xml_document document;
  const auto result =
      document.load_buffer(xml.data(), xml.size(), pugi::parse_minimal, pugi::encoding_utf8);
  if (!result)
    reader.refuse(fmt::format("is damaged at byte {} ({})", result.offset, result.description()),
                  "copy or create it again");
  const auto system = document.child("system");
  if (!system)
    reader.refuse("is not an NCCL topology (no <system>)",
                  "hwloc's XML belongs under 'file:', not 'nccl:'");
  return reader.read(system);
}

}  // namespace muster::topology
