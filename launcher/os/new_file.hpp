// Creates a file that is either complete or absent.
#pragma once

#include <string>
#include <string_view>

#include <sys/types.h>

namespace muster::os {

// What write_new_file() would return now, as far as that can be determined without leaving traces.
[[nodiscard]] int why_not_writable(const std::string& file);

// Writes the text to a new file next to `file`, then renames it, so a reader never sees an incomplete file.
// The mode is what the umask leaves of `mode`. Returns 0, or errno: EISDIR for anything but a regular file.
// May be called from any thread.
[[nodiscard]] int write_new_file(const std::string& file, std::string_view text,
                                 mode_t mode = 0666);

}  // namespace muster::os
