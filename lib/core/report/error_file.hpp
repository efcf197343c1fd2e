// What a rank wrote into TORCHELASTIC_ERROR_FILE, in either of the forms that torch's @record has had, or the
// start hook for Python (lib/python/start/exceptions.py), which adds the process and the thread:
//   {"message": {"message": "ValueError: boom", "extraInfo": {"py_callstack": "Traceback ...",
//                "timestamp": "1700000000"}}}
//   {"message": "ValueError: boom", "timestamp": 1700000000}
// The file is the user's. It may contain anything, and may be cut off if its writer was killed.
#pragma once

#include "core/report/record.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace muster::report {

inline constexpr std::size_t max_error_file_bytes = std::size_t{1} << 20;  // the rest is not read

struct ErrorFile {
  // Its time is the file's modification time, which the caller adds.
  std::optional<Exception> exception;
  std::string remark;         // one line: why there is no exception, or which part of it is missing
  std::uint32_t process = 0;  // the process that wrote it, as it knows itself; 0: unknown
  std::string thread =
      {};  // the name of the thread that raised it; empty: the main one, or unknown

  friend bool operator==(const ErrorFile&, const ErrorFile&) = default;
};

ErrorFile parse_error_file(std::string_view bytes);

}  // namespace muster::report
