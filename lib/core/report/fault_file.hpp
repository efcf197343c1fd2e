// What Python's faulthandler wrote when a fatal signal ended a rank: the stacks of its threads,
//   Fatal Python error: Segmentation fault
//
//   Current thread 0x00007f0000000000 (most recent call first):
//     File "train.py", line 12 in step
// Forked children may have written to it before. The file is the user's, and may contain anything.
#pragma once

#include "core/report/record.hpp"

#include <optional>
#include <string_view>

namespace muster::report {

// The last dump: its first line is the message, and the stack of the thread that the signal hit is the
// traceback. The caller adds the time, which is the file's modification time. No value if there is no dump.
std::optional<Exception> parse_fault_file(std::string_view bytes);

}  // namespace muster::report
