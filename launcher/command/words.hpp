// Decides which arguments of a command line are for muster. The others belong to another command, such as
// the user's program with its arguments. They are passed on unchanged, and no option parser sees them: each
// parser has its own rules for brackets, quotes and dashes.
#pragma once

#include "launcher/command/command.hpp"

#include <span>
#include <string>
#include <vector>

namespace muster::command {

struct Words {
  // The command's options, one after another: "--name" or "--name=VALUE".
  std::vector<std::string> own;
  std::vector<std::string> handed_on;
};

// `words` are the arguments after the command's name. The command's own ones end at the first "--", which
// belongs to neither part, or, unless the command takes arguments between its options, at the first
// argument that is neither an option nor an option's value. Throws UsageError for an option that the
// command does not have, and for an argument that it cannot use.
Words split_words(const Command& command, std::span<const std::string> words);

}  // namespace muster::command
