// The form in which scontrol prints records: "NAME=VALUE" words, with --oneliner one record per line. Pure.
#pragma once

#include <cstdint>
#include <string_view>

namespace muster::slurm {

// The value of the first "NAME=VALUE" word, up to the next space or end of line; empty if there is no such
// word.
std::string_view field(std::string_view text, std::string_view name);

// The number in that field, or 0.
std::uint32_t number_in(std::string_view text, std::string_view name);

// `text` up to its last newline: the rest of scontrol's output may have been cut off.
std::string_view whole_lines(std::string_view text);

// Whether there is no list of nodes: scontrol then prints "(null)".
bool is_no_list(std::string_view list);

}  // namespace muster::slurm
