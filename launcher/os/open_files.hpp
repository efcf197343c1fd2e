// How many files and sockets this process may have open.
#pragma once

namespace muster {

// One socket per node may be open at once: the soft limit, often 1024, becomes the hard one.
void allow_many_sockets();

}  // namespace muster
