// When a rank has called its latest collectives, as muster's Python package answers. The answer comes from
// the user's program, so it is read within bounds.
#pragma once

#include "core/slow/piece.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace muster::slow {

inline constexpr std::size_t max_answer_bytes = std::size_t{64} << 10;

struct Arrival {
  std::uint32_t group = 0;      // index in Answer::groups
  std::uint32_t operation = 0;  // index in Answer::operations
  std::uint64_t number = 0;
  std::chrono::nanoseconds wall{0};  // since 1970, by the node's wall clock
  // From the rank's arrival to the end of the collective, on the GPU; no value if torch does not measure it.
  std::optional<std::chrono::nanoseconds> took{};

  friend bool operator==(const Arrival&, const Arrival&) = default;
};

struct Answer {
  std::uint32_t rank = 0;            // torch's
  std::chrono::nanoseconds cost{0};  // the CPU time that the answer took
  std::vector<Group> groups = {};
  std::vector<std::string> operations = {};
  std::vector<Arrival> arrivals = {};  // oldest first
};

// Throws an Error of one line for anything else, and for a rank that is in no group yet.
Answer answer_of(std::string_view text);

}  // namespace muster::slow
