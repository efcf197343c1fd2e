// Signals as requests to stop: counted beside the handlers that the program has, by no thread.
#pragma once

#include <span>

namespace muster::worker::stop {

// From now on the first of these signals makes requested() true, for the life of this process. A
// handler that the program has installed before still runs, with the flags that it was given; a
// signal that would have ended the process no longer does. In a forked child these signals do what
// they would without muster until it calls this as well. A signal that is counted already stays so.
// Throws Error (state) where the program has since installed a handler of its own for one of them;
// the signals before it in the list are then counted.
void count(std::span<const int> signals);

// Async-signal-safe.
bool requested() noexcept;

}  // namespace muster::worker::stop
