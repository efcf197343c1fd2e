// The muster program's command line: which command, its options, and the help.
#pragma once

#include "launcher/command/command.hpp"

#include <string>
#include <vector>

namespace muster::command {

class CommandLine {
 public:
  // `name`: what a usage line begins with.
  CommandLine(std::string meaning, std::string version, std::string name = "muster")
      : meaning_(std::move(meaning)), version_(std::move(version)), name_(std::move(name)) {}

  void add(Command command) { commands_.push_back(std::move(command)); }

  [[nodiscard]] const std::vector<Command>& commands() const { return commands_; }

  // Runs the command that `words` (argv, the program first) names, or shows the help. Returns the
  // program's exit code; throws UsageError.
  [[nodiscard]] int run(const std::vector<std::string>& words) const;

 private:
  [[nodiscard]] const Command& named(const std::string& word) const;

  std::string meaning_;
  std::string version_;
  std::string name_;
  std::vector<Command> commands_;
};

}  // namespace muster::command
