#include "core/text/list.hpp"

#include <cstddef>

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

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t end = text.find(separator); end != std::string_view::npos;
       end = text.find(separator)) {
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  parts.push_back(text);
  return parts;
}

std::string range_text(std::uint32_t first, std::uint32_t last) {
  return first == last ? fmt::to_string(first) : fmt::format("{}-{}", first, last);
}

}  // namespace muster::text
