// The last part of a path.
#pragma once

#include <string_view>

namespace muster::text {

// "torchrun" for "/opt/venv/bin/torchrun" and for "torchrun"; empty if the path ends with a slash.
constexpr std::string_view base_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

}  // namespace muster::text
