// What libmuster keeps of the start of a rank, read back: lib/worker/times.hpp has the form of the file.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace muster::page {

// A phase of a rank's start in libmuster, counted from when the agents had met.
struct BootPhase {
  std::chrono::microseconds begin{0};
  std::chrono::microseconds end{0};
  bool waits = false;  // for all ranks
  bool failed = false;
  std::string name;

  friend bool operator==(const BootPhase&, const BootPhase&) = default;
};

struct Bootstrap {
  std::string transport;  // "pmix", "tcp", "single"
  std::string node;       // as the rank itself says
  std::vector<BootPhase> phases;

  friend bool operator==(const Bootstrap&, const Bootstrap&) = default;
};

inline constexpr std::size_t max_times_bytes = 16384;  // of the file

// Throws Error, a clause without the file's name, where the text is nothing that libmuster has written. A
// last line that is cut off is left out.
Bootstrap read_times(std::string_view text);

}  // namespace muster::page
