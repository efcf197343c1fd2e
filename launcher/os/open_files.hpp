// How many files and sockets this process may have open.
#pragma once

#include <cstddef>

namespace muster::os {

// One socket per node may be open at once: the soft limit, often 1024, becomes the hard one.
// Returns how many may be open then; 0 where that is not known.
std::size_t allow_many_sockets();

}  // namespace muster::os
