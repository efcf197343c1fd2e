// How many files and sockets this process may have open, and which of them a child keeps.
#pragma once

#include <cstddef>
#include <span>

namespace muster::os {

// One socket per node may be open at the same time: raises the soft limit, often 1024, to the hard
// limit. Returns how many files may then be open; 0 if that is not known.
std::size_t allow_many_sockets();

// For a child that becomes a program of the user's, or an srun that passes its limits on to the ranks: gives
// back the soft limit that the user chose. Only system calls; nothing if it was never raised.
void restore_file_limit();

// Closes all files but standard input, output and error, and `kept`, which are in ascending order. Linux has
// a call for it from 5.9 on; before, /proc/self/fd names the files.
void close_others(std::span<const int> kept);
void close_others(int kept = -1);

}  // namespace muster::os
