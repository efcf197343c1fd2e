// Numbers the srun lines of a job that have the same words: the first one to start in a run of the job is
// 0. After a requeue the script runs the same lines again, so each line finds its saved state by this
// number. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace muster::restart {

struct NumberedLine {
  std::uint32_t number = 0;
  std::string counter;  // for the next line
};

inline constexpr std::size_t max_counter_bytes = 32;

// `counter`: what was saved for the previous line. Numbering starts again at 0 if it is from another run of
// the job, or is not a counter. `run`: how often the job has been requeued.
NumberedLine number_line(std::string_view counter, std::uint32_t run);

}  // namespace muster::restart
