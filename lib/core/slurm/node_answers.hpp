// How the nodes of a short step answer the process that started it: by lines of their standard output. Slurm
// mixes the lines of several nodes, but does not cut a short one. An answer is a text without line ends, in
// as many lines as it needs:
//
//   muster-node NODE NUMBER more|last TEXT
//
// All other lines of the step's output come from srun or from a program, and are no error. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace muster::slurm {

inline constexpr std::size_t max_answer_line_bytes = 1000;  // Slurm cuts lines of more than 1024
inline constexpr std::size_t max_node_name_bytes = 255;

// The lines of one answer, each with its end. `number`: how many answers this node has given before.
std::string answer_lines(const std::string& node, std::uint32_t number, std::string_view text);

// Hands each whole answer to `take`, in the order of their last lines. Leaves out damaged answers, those of
// more than `max_bytes`, and those of more nodes than a step can have. Returns the first line that is not
// empty and that no node wrote, which is probably srun's: a view into `output`.
std::string_view read_node_answers(
    std::string_view output, std::size_t max_bytes,
    const std::function<void(const std::string& node, std::string_view text)>& take);

// That line alone.
std::string_view line_of_srun(std::string_view output);

}  // namespace muster::slurm
