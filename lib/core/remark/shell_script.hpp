// The commands of a shell script, as far as it certainly runs them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace muster::remark {

// The script's simple commands, split into words. Quotes stay in the words: a quoted word is not taken for a
// name. Leaves out what follows `||` in the same list. Empty if the script contains a condition, a loop, a
// function or a here-document, because then not every task may run every command.
std::vector<std::vector<std::string>> unconditional_commands(std::string_view script);

}  // namespace muster::remark
