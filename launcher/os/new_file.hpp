// A file that is there whole or not at all.
#pragma once

#include <string>
#include <string_view>

#include <sys/types.h>

namespace muster::os {

// What write_new_file() would return now, as far as that can be seen without a trace.
[[nodiscard]] int why_not_writable(const std::string& file);

// Writes the text beside the file, then puts it in its place: a reader never sees a half. The mode is
// what the umask leaves of `mode`. Returns 0, or errno: EISDIR for anything but a regular file. From any
// thread.
[[nodiscard]] int write_new_file(const std::string& file, std::string_view text,
                                 mode_t mode = 0666);

}  // namespace muster::os
