// A command of the muster program: its options, the arguments after them, and what it does.
// command_line.hpp parses command lines.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace muster::command {

struct CommandOption {
  enum class Takes : std::uint8_t { nothing, perhaps_a_value, a_value };

  std::string name;     // the name with its dashes
  std::string meaning;  // empty: only muster.so passes it, so the help leaves it out
  Takes takes = Takes::nothing;
  std::string form = {};   // the form of the value, shown in the help
  std::string shown = {};  // its default, shown in the help
  // Called once if the option is given, with "" if it has no value.
  std::function<void(const std::string&)> accept;
  char letter = 0;  // its short form -x; 0: none
};

// Words that are not options of the command itself.
struct HandedOnWords {
  std::string name;
  std::string meaning;  // likewise
  bool required = false;
  // True for the command's own arguments, which may come before, between and after its options. False for
  // another command and its arguments: everything after the options, unchanged.
  bool between_options = false;
  std::function<void(std::vector<std::string>)> accept;
};

// Targets must outlive the command. They are set before its action is called.
class Command {
 public:
  Command(std::string name, std::string meaning)
      : name_(std::move(name)), meaning_(std::move(meaning)) {}

  Command& flag(std::string name, bool& target, std::string meaning);
  // --name VALUE or --name=VALUE; the help shows the target's current value as the default.
  Command& value(std::string name, std::string& target, std::string meaning);
  Command& value(std::string name, std::optional<std::string>& target, std::string meaning);
  // --name alone means "".
  Command& value_or_nothing(std::string name, std::optional<std::string>& target,
                            std::string meaning);
  Command& number(std::string name, std::size_t& target, std::string meaning);
  // In seconds, unless the value has a unit.
  Command& time(std::string name, std::chrono::seconds& target, std::string meaning);
  // One word of `words`; `choose` receives its index.
  Command& choice(std::string name, std::vector<std::string_view> words,
                  std::function<void(std::size_t)> choose, std::string meaning);

  // Gives the previous option the short form -x.
  Command& letter(char letter);
  // Accepts the spellings that Python's argparse accepts: --a_b for --a-b, and --a as well if no other
  // option begins with it.
  Command& reads_like_argparse();

  Command& hands_on(std::string name, std::vector<std::string>& target, std::string meaning);
  Command& takes(std::string name, std::vector<std::string>& target, std::string meaning);
  Command& needs_to_hand_on(std::string name, std::vector<std::string>& target,
                            std::string meaning);

  // What the command does; returns the program's exit code.
  Command& action(std::function<int()> action);
  // Hides it from the help, because users need not call it.
  Command& internal();

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& meaning() const { return meaning_; }
  [[nodiscard]] const std::vector<CommandOption>& options() const { return options_; }
  [[nodiscard]] const std::optional<HandedOnWords>& handed_on() const { return handed_on_; }
  [[nodiscard]] bool is_internal() const { return internal_; }
  [[nodiscard]] bool like_argparse() const { return like_argparse_; }
  [[nodiscard]] int run() const { return action_(); }

 private:
  std::string name_;
  std::string meaning_;
  std::vector<CommandOption> options_;
  std::optional<HandedOnWords> handed_on_;
  std::function<int()> action_;
  bool internal_ = false;
  bool like_argparse_ = false;
};

}  // namespace muster::command
