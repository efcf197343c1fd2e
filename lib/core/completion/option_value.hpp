// What can stand behind --distributed=, for the completion of shells. All words come from the table of
// keys and from the profiles that there are.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace muster::completion {

// The values that begin with `typed` and go one word further, each whole. A key that takes a value ends
// with '='; a key that is there already is left out.
std::vector<std::string> option_values(std::string_view typed,
                                       const std::vector<std::string>& profiles);

// Of "first|all|RANK[+RANK]", as the help writes what a value can be: first and all.
std::vector<std::string> literal_words(std::string_view form);

}  // namespace muster::completion
