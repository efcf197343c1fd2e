// One line that says why a file or directory was not read.
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

// The file system refused access, not muster.
class Unreadable : public Error {
 public:
  using Error::Error;
};

// `number`: an errno value.
inline Unreadable unreadable(const std::string& path, int number) {
  return Unreadable{fmt::format("{}: cannot be read ({}); check the path and its permissions",
                                text::printable_path(path),
                                std::generic_category().message(number))};
}

}  // namespace muster::file
