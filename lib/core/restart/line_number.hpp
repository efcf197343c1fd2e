// Which of a job's srun lines with the same words a line is: the first one that begins in a run of the
// job is 0. What is kept for it outlives a requeue, as the script then begins the same lines again. Pure.
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

// `counter`: as it was kept for the line before. One of another run of the job, or a text that cannot be
// such a counter, begins anew. `run`: how often the job has been requeued.
NumberedLine number_line(std::string_view counter, std::uint32_t run);

}  // namespace muster::restart
