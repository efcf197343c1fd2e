// Translates --redirects, --tee, --local-ranks-filter and --log-dir into logs=, view= and prefix=. Pure.
#pragma once

#include "core/torchrun/words.hpp"

#include <cstdint>
#include <string>

namespace muster::torchrun {

struct Output {
  bool to_files = false;  // logs=
  std::string view = {};  // the value of view=; empty: not needed
  bool prefixed = false;  // prefix=rank

  friend bool operator==(const Output&, const Output&) = default;
};

// For `ranks` ranks on one machine. Throws Error if a value is malformed or muster does not support it.
Output output_of(const Words& words, std::uint32_t ranks);

}  // namespace muster::torchrun
