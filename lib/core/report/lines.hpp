// Foreign text for a terminal: escaped, and never wider than it is given room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace muster::report {

// In terminal columns; "..." ends what was cut.
std::string fit(std::string_view text, std::size_t columns);

// The lines, each as it is. What a carriage return has overwritten, such as a progress bar's earlier
// states, is left out, and so are empty lines at the end.
std::vector<std::string_view> lines_of(std::string_view text);

// "0-3,7"; at most `columns` wide, and "..." where there are more.
std::string rank_list(std::span<const std::uint32_t> ascending, std::size_t columns);

// "1 rank", "2 ranks".
std::string counted(std::size_t count, std::string_view noun);

}  // namespace muster::report
