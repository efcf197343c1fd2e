// The commands of a shell script, as far as it certainly runs them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace muster::remark {

// The script's simple commands, split into words. Quotes stay in the words, so a quoted word does not count
// as a name. Leaves out what follows `||` in the same list. Empty if the script contains a condition, a loop,
// a function or a here-document, because some tasks may then not run every command.
std::vector<std::vector<std::string>> unconditional_commands(std::string_view script);

}  // namespace muster::remark
