// The text form of PCI addresses.
#include "core/topology/pci.hpp"

#include "core/error.hpp"
#include "core/text/quote.hpp"

#include <charconv>
#include <optional>

#include <fmt/format.h>

namespace muster::topology {
namespace {

std::optional<std::uint32_t> parse_hex(std::string_view digits, std::size_t max_digits,
                                       std::uint32_t largest) {
  if (digits.size() > max_digits) return std::nullopt;
  std::uint32_t value = 0;
  const auto [rest, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  if (error != std::errc{} || rest != digits.data() + digits.size() || value > largest)
    return std::nullopt;
  return value;
}

std::optional<PciAddress> try_parse(std::string_view text) {
  const auto dot = text.rfind('.');
  const auto device_colon = text.rfind(':');
  if (dot == text.npos || device_colon == text.npos || dot < device_colon) return std::nullopt;
  const auto domain_colon = text.substr(0, device_colon).rfind(':');
  const bool has_domain = domain_colon != text.npos;
  const auto bus_at = has_domain ? domain_colon + 1 : 0;
  const auto domain = parse_hex(has_domain ? text.substr(0, domain_colon) : "0", 8, 0xffffffff);
  const auto bus = parse_hex(text.substr(bus_at, device_colon - bus_at), 2, 0xff);
  const auto device = parse_hex(text.substr(device_colon + 1, dot - device_colon - 1), 2, 0x1f);
  const auto function = parse_hex(text.substr(dot + 1), 1, 7);
  if (!domain || !bus || !device || !function) return std::nullopt;
  return PciAddress{*domain, static_cast<std::uint8_t>(*bus), static_cast<std::uint8_t>(*device),
                    static_cast<std::uint8_t>(*function)};
}

}  // namespace

PciAddress PciAddress::parse(std::string_view text) {
  const auto address = try_parse(text);
  if (!address)
    throw Error(
        fmt::format("{} is not a PCI address; write it like 0000:07:00.0", text::in_quotes(text)));
  return *address;
}

std::string to_string(const PciAddress& address) {
  return fmt::format("{:04x}:{:02x}:{:02x}.{:x}", address.domain, address.bus, address.device,
                     address.function);
}

}  // namespace muster::topology
