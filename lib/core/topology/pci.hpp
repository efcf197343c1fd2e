// PCI addresses: of a device (0000:07:00.0) and of a bus (0000:07).
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace muster::topology {

struct PciBus {
  std::uint32_t domain = 0;
  std::uint8_t bus = 0;

  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 misreads a defaulted <=>
  friend auto operator<=>(const PciBus&, const PciBus&) = default;
};

struct PciAddress {
  std::uint32_t domain = 0;
  std::uint8_t bus = 0;
  std::uint8_t device = 0;
  std::uint8_t function = 0;

  // Reads "0000:07:00.0", and also the forms of NVML ("00000000:07:00.0") and lspci ("07:00.0"), in
  // upper or lower case. Throws Error.
  static PciAddress parse(std::string_view text);

  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 misreads a defaulted <=>
  friend auto operator<=>(const PciAddress&, const PciAddress&) = default;
};

std::string to_string(const PciAddress& address);  // "0000:07:00.0"

}  // namespace muster::topology
