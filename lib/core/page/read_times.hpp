// Reads back what libmuster recorded about a rank's start. lib/worker/times.hpp describes the format of the
// file.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace muster::page {

// A phase of a rank's start in libmuster, counted from the moment when all agents had met.
struct BootPhase {
  std::chrono::microseconds begin{0};
  std::chrono::microseconds end{0};
  bool waits = false;  // whether it waits for all ranks
  bool failed = false;
  std::string name;

  friend bool operator==(const BootPhase&, const BootPhase&) = default;
};

struct Bootstrap {
  std::string transport;  // "pmix", "tcp", "single"
  std::string node;       // the node, as the rank itself reported it
  std::vector<BootPhase> phases;

  friend bool operator==(const Bootstrap&, const Bootstrap&) = default;
};

inline constexpr std::size_t max_times_bytes = 16384;  // per file

// Throws Error if libmuster cannot have written the text; the message is a clause that does not name the
// file. Ignores an incomplete last line.
Bootstrap read_times(std::string_view text);

}  // namespace muster::page
