// What survives a requeue: the attempts of the job's earlier runs, as text. Pure.
#pragma once

#include "core/restart/attempt_history.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::restart {

struct Saved {
  std::uint32_t requeues = 0;        // of the job when this was written
  std::uint32_t begun = 0;           // attempts, of which the last one may still run
  std::vector<AttemptHistory> past;  // those that have ended
};

inline constexpr std::size_t max_saved_bytes = std::size_t{1} << 20;

// JSON. The times of the attempts are counted from `start`, the start of this supervisor. What the progress
// file held is left out.
std::string to_text(const Saved& saved, std::chrono::system_clock::time_point start);

// No value for a text that to_text() cannot have written. `past` gets `begun` attempts: those about which
// nothing is known count as ended without a failure.
std::optional<Saved> saved_from(std::string_view text, std::chrono::system_clock::time_point start);

}  // namespace muster::restart
