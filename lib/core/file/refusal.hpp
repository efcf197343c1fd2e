// Why a file or a directory is not read, in one line.
#pragma once

#include "core/error.hpp"
#include "core/text/quote.hpp"

#include <string>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

namespace muster::file {

inline Error refused(const std::string& path, std::string_view why, std::string_view remedy) {
  return Error{fmt::format("{}: {}; {}", text::printable_path(path), why, remedy)};
}

// `number`: what errno was.
inline Error unreadable(const std::string& path, int number) {
  return refused(path, fmt::format("cannot be read ({})", std::generic_category().message(number)),
                 "check the path and its permissions");
}

}  // namespace muster::file
