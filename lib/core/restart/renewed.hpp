// What a supervisor leaves to the program of another version that replaces it between two attempts, as text.
// Pure.
#pragma once

#include "core/restart/attempt_history.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::restart {

struct Renewed {
  std::uint32_t line = 0;  // as Requeue::line()
  std::uint32_t allocated =
      0;  // nodes that the job had when its first supervisor began; 0 if unknown
  std::vector<AttemptHistory> past;  // never empty
};

// JSON, so that any version can read it. `start`: as for Saved.
std::string to_text(const Renewed& renewed, std::chrono::system_clock::time_point start);

// No value for a text that no version's to_text() has written.
std::optional<Renewed> renewed_from(std::string_view text,
                                    std::chrono::system_clock::time_point start);

}  // namespace muster::restart
