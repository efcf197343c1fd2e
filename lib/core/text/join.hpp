// Joins items with a separator: "0,1,3". One file generates fmt's code for lists, which is the
// heaviest that most of the files with a list would have.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>

namespace muster::text {

std::string join(std::span<const std::string> items, std::string_view separator);
std::string join(const std::set<std::string>& items, std::string_view separator);
std::string join(std::span<const std::string_view> items, std::string_view separator);
std::string join(std::span<const std::uint32_t> items, std::string_view separator);
std::string join(std::span<const std::uint64_t> items, std::string_view separator);

}  // namespace muster::text
