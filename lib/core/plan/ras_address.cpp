#include "core/plan/ras_address.hpp"

#include <fmt/format.h>

namespace muster::plan {
namespace {

// FNV-1a: the same on all nodes and in all releases.
std::uint32_t hash(const std::string& text) {
  std::uint32_t value = 2166136261U;
  for (const char letter : text) {
    value = (value ^ static_cast<unsigned char>(letter)) * 16777619U;
  }
  return value;
}

}  // namespace

std::string ras_address(const std::string& run_id, std::uint32_t attempt) {
  const auto number = hash(fmt::format("{}/{}", run_id, attempt));
  // Not 127.0, because other programs listen there.
  return fmt::format("127.{}.{}.{}:28028", 1 + number % 254, (number >> 8) % 256,
                     1 + (number >> 16) % 254);
}

}  // namespace muster::plan
