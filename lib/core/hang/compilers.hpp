// Which programs are compilers: they compute for minutes without reading or writing anything.
#pragma once

#include <string_view>

namespace muster::hang {

// `program`: the kernel's name for it, at most 15 bytes.
bool is_compiler(std::string_view program);

}  // namespace muster::hang
