// How many files and sockets this process may have open, and which of them a child keeps.
#pragma once

#include <cstddef>
#include <span>

namespace muster::os {

// One socket per node may be open at the same time: raises the soft limit, often 1024, to the hard limit.
// Returns how many files may then be open; 0 if unknown.
std::size_t allow_many_sockets();

// For a child that becomes one of the user's programs, or an srun that passes its limits on to the ranks:
// restores the soft limit that the user chose. Uses only system calls; does nothing if the limit was never
// raised.
void restore_file_limit();

// Closes all files except standard input, output and error, and those in `kept`, which are in ascending
// order. Since Linux 5.9 there is a system call for this; before that, /proc/self/fd lists the files.
void close_others(std::span<const int> kept);
void close_others(int kept = -1);

}  // namespace muster::os
