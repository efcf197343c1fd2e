#include "core/text/join.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace muster::text {

std::string join(std::span<const std::string> items, std::string_view separator) {
  return fmt::format("{}", fmt::join(items, separator));
}

std::string join(const std::set<std::string>& items, std::string_view separator) {
  return fmt::format("{}", fmt::join(items, separator));
}

std::string join(std::span<const std::string_view> items, std::string_view separator) {
  return fmt::format("{}", fmt::join(items, separator));
}

std::string join(std::span<const std::uint32_t> items, std::string_view separator) {
  return fmt::format("{}", fmt::join(items, separator));
}

std::string join(std::span<const std::uint64_t> items, std::string_view separator) {
  return fmt::format("{}", fmt::join(items, separator));
}

}  // namespace muster::text
