// Treats signals as requests to stop: counts them, compatibly with the program's own handlers and without a
// thread.
#pragma once

#include <span>

namespace muster::worker::stop {

// From now on the first of these signals makes requested() true, for the life of this process. A handler that
// the program has installed before still runs, with its own flags; a signal that would have ended the process
// no longer does. In a forked child these signals do what they would without muster until the child also
// calls this function. A signal that is already counted stays counted. Throws Error (state) if the program
// has since installed its own handler for one of them; the signals before it in the list are then counted.
void count(std::span<const int> signals);

// Async-signal-safe.
bool requested() noexcept;

}  // namespace muster::worker::stop
