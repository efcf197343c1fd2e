// Which programs are compilers: they compute for minutes and neither read nor write meanwhile.
#pragma once

#include <string_view>

namespace muster::hang {

// `program`: as the kernel names it, 15 bytes at most.
bool is_compiler(std::string_view program);

}  // namespace muster::hang
