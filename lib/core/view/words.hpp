// The prefix of a line of output, and what muster says about output that is not shown.
#pragma once

#include "core/view/choice.hpp"
#include "core/view/output.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace muster::view {

using NodeNames = std::map<std::uint32_t, std::string>;  // by rank

// "[3] ", "[node2 3] "; of several ranks "[0-3] ", "[16 ranks] ". `in_view`: how many there are.
std::string prefix_text(Prefix prefix, const std::set<std::uint32_t>& ranks, std::size_t in_view,
                        const NodeNames& nodes);

// TORCHELASTIC_LOG_LINE_PREFIX_TEMPLATE, "[${role_name}${rank}]:", for a rank of this machine: what Python's
// string.Template.safe_substitute() makes of it.
std::string template_text(std::string_view line_template, std::uint32_t rank,
                          std::string_view role);

// The same in a colour of the rank's own.
std::string coloured(const std::string& prefix, const std::set<std::uint32_t>& ranks);

// `place`: the file with all of it, or the directory.
std::string left_out_text(std::uint32_t rank, std::uint64_t bytes, std::string_view place);

// The last lines in the last bytes of a file, which begin within a line unless `whole`: as few as a
// screen bears, without their ends.
std::vector<std::string> last_lines(std::string_view bytes, bool whole);

}  // namespace muster::view
