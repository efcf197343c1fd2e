// What can follow --distributed=, for shell completion. All words come from the table of keys and from the
// existing profiles.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace muster::completion {

// The values that begin with `typed` and are one word longer, each in full. A key that takes a value ends
// with '='; keys that are already present are left out.
std::vector<std::string> option_values(std::string_view typed,
                                       const std::vector<std::string>& profiles);

// From "first|all|RANK[+RANK]", the form that the help shows for a value: returns first and all.
std::vector<std::string> literal_words(std::string_view form);

}  // namespace muster::completion
