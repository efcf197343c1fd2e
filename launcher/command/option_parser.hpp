// The options of a command line, parsed by CLI11, which also prints the help.
#pragma once

#include "launcher/command/command.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace muster::command {

struct ProgramText {
  const std::string& meaning;
  const std::string& version;
  const std::string& name;
};

// A command line that words.hpp has divided into its parts.
struct ParserWords {
  std::span<const std::string> root;      // the program's own options, before the command
  const Command* command = nullptr;       // nullptr if none is given
  std::span<const std::string> own = {};  // the command's options
  bool hands_on = false;                  // the arguments of another command follow
};

struct ParsedOptions {
  // Set if the parser has already done everything: help, version.
  std::optional<int> exit_code = {};
  std::string error = {};  // why the parser cannot understand the command line
};

// Calls `accept` for every option of the command that is given.
ParsedOptions parse_options(const ProgramText& program, const std::vector<Command>& commands,
                            const ParserWords& words);

}  // namespace muster::command
