// Which variables a site may set for the ranks: not those that belong to Slurm, to muster, to an individual
// rank or to the user's session.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace muster::site {

inline constexpr std::size_t max_variable_name = 128;
inline constexpr std::size_t max_variable_value = 4096;  // the same as NCCL's limit for a line

// Why the site may not set it, as the end of a sentence; no value if it may.
std::optional<std::string_view> refusal_of_name(std::string_view name);

// Likewise for values: they must be one line, printable and not too long.
std::optional<std::string_view> refusal_of_value(std::string_view value);

}  // namespace muster::site
