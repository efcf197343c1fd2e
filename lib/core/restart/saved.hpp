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
  std::uint32_t requeues = 0;  // how often the job had been requeued when this was written
  std::uint32_t begun = 0;     // attempts that were started; the last one may still be running
  std::vector<AttemptHistory> past;  // the attempts that have ended
};

inline constexpr std::size_t max_saved_bytes = std::size_t{1} << 20;

// JSON. The times of the attempts are counted from `start`, the start of this supervisor. The content of the
// progress file is left out.
std::string to_text(const Saved& saved, std::chrono::system_clock::time_point start);

// No value for a text that to_text() cannot have written. `past` gets `begun` attempts: those about which
// nothing is known count as ended without a failure.
std::optional<Saved> saved_from(std::string_view text, std::chrono::system_clock::time_point start);

}  // namespace muster::restart
