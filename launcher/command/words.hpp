// Which words of a command line are muster's own. The others are another command's, such as a
// user's program with its arguments: they are handed on as they are, and no option parser sees
// them, for each has rules of its own for brackets, quotes and dashes.
#pragma once

#include "launcher/command/command.hpp"

#include <span>
#include <string>
#include <vector>

namespace muster::command {

struct Words {
  // Options of the command's, one behind the other: "--name" or "--name=VALUE".
  std::vector<std::string> own;
  std::vector<std::string> handed_on;
};

// `words` are those behind the command's name. Its own end at the first "--", which belongs to
// neither, or at the first word that is no option and no option's value. Throws UsageError for an
// option that the command does not have, and for a word that it has no use for.
Words split_words(const Command& command, std::span<const std::string> words);

}  // namespace muster::command
