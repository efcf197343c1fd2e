// What libmuster keeps of a rank's bootstrap, read back: lib/worker/times.hpp has its form.
#pragma once

#include "core/page/run.hpp"

#include <cstddef>
#include <string_view>

namespace muster::page {

inline constexpr std::size_t max_times_bytes = 16384;  // of the file

// Throws Error, a clause without the file's name, where the text is nothing that libmuster has written. A last
// line that is cut off is left out.
Bootstrap read_times(std::string_view text);

}  // namespace muster::page
