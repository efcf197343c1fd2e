// What Python's faulthandler wrote of a rank when a fatal signal ended it: the stacks of its threads,
//   Fatal Python error: Segmentation fault
//
//   Current thread 0x00007f0000000000 (most recent call first):
//     File "train.py", line 12 in step
// Forked children may have written before it. The file is the user's: it may be anything.
#pragma once

#include "core/report/record.hpp"

#include <optional>
#include <string_view>

namespace muster::report {

// The last dump: its first line as the message, and the stack of the thread that the signal hit as a
// traceback. Its time is the file's own, for the caller to add. Nothing where there is no dump.
std::optional<Exception> parse_fault_file(std::string_view bytes);

}  // namespace muster::report
