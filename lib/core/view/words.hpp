// The prefix of a line of output, and what muster says about output that it does not show.
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

// "[3] ", "[node2 3] "; for several ranks "[0-3] ", "[16 ranks] ". `in_view`: how many ranks there are.
std::string prefix_text(Prefix prefix, const std::set<std::uint32_t>& ranks, std::size_t in_view,
                        const NodeNames& nodes);

// The prefix from TORCHELASTIC_LOG_LINE_PREFIX_TEMPLATE, such as "[${role_name}${rank}]:", for a rank on this
// machine. Expanded like Python's string.Template.safe_substitute().
std::string template_text(std::string_view line_template, std::uint32_t rank,
                          std::string_view role);

// The same prefix, in the rank's own colour.
std::string coloured(const std::string& prefix, const std::set<std::uint32_t>& ranks);

// `place`: the file that contains all of it, or the directory.
std::string left_out_text(std::uint32_t rank, std::uint64_t bytes, std::string_view place);

// The last lines among the last bytes of a file; unless `whole`, those begin in the middle of a line. Limited
// to what fits a screen; without line ends.
std::vector<std::string> last_lines(std::string_view bytes, bool whole);

}  // namespace muster::view
