// How the nodes of a short step answer the process that started it: with lines on their standard output.
// Slurm interleaves the lines of several nodes, but does not split a short one. An answer is a text without
// newlines, sent in as many lines as it needs:
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

// Slurm splits lines of more than 1024 bytes.
inline constexpr std::size_t max_answer_line_bytes = 1000;
inline constexpr std::size_t max_node_name_bytes = 255;

// The lines of one answer, each with its newline. `number`: how many answers this node has given before.
std::string answer_lines(const std::string& node, std::uint32_t number, std::string_view text);

// Passes each complete answer to `take`, ordered by their last lines. Drops damaged answers, answers larger
// than `max_bytes`, and answers from more nodes than a step can have. Returns the first non-empty line that
// no node wrote, which is probably srun's, as a view into `output`.
std::string_view read_node_answers(
    std::string_view output, std::size_t max_bytes,
    const std::function<void(const std::string& node, std::string_view text)>& take);

// Only the line that read_node_answers() returns.
std::string_view line_of_srun(std::string_view output);

}  // namespace muster::slurm
