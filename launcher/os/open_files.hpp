// How many files and sockets this process may have open.
#pragma once

#include <cstddef>

namespace muster::os {

// One socket per node may be open at the same time: raises the soft limit, often 1024, to the hard
// limit. Returns how many files may then be open; 0 if that is not known.
std::size_t allow_many_sockets();

}  // namespace muster::os
