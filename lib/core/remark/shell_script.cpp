#include "core/remark/shell_script.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace muster::remark {
namespace {

using Command = std::vector<std::string>;

constexpr std::array<std::string_view, 12> conditions{
    "if", "case", "while", "until", "for", "select", "function", "[", "[[", "test", "!", "{"};

class Splitter {
 public:
  std::vector<Command> split(std::string_view script) {
    for (rest_ = script; !rest_.empty();) step();
    end_command();
    return std::move(commands_);
  }

 private:
  void step() {
    const char next = rest_.front();
    if (rest_.starts_with("\\\n")) {
      rest_.remove_prefix(2);
    } else if (next == '\\') {
      take(2);
    } else if (next == '\'' || next == '"') {
      take_quoted(next);
    } else if (next == '#' && word_.empty()) {
      rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size()));
    } else if (next == ' ' || next == '\t') {
      end_word();
      rest_.remove_prefix(1);
    } else if (next == '\n' || next == ';' || next == '|' || next == '&') {
      end_command();
      const bool is_or = rest_.starts_with("||");
      after_or_ = is_or || (after_or_ && next != '\n' && next != ';');
      rest_.remove_prefix(is_or ? 2 : 1);
    } else {
      take(1);
    }
  }

  void take(std::size_t size) {
    word_ += rest_.substr(0, size);
    rest_.remove_prefix(std::min(size, rest_.size()));
  }

  void take_quoted(char quote) {
    std::size_t end = 1;
    while (end < rest_.size() && rest_[end] != quote) {
      end += quote == '"' && rest_[end] == '\\' ? 2 : 1;
    }
    take(std::min(end + 1, rest_.size()));
  }

  void end_word() {
    if (!word_.empty()) command_.push_back(std::exchange(word_, {}));
  }

  void end_command() {
    end_word();
    auto command = std::exchange(command_, {});
    if (!command.empty() && !after_or_) commands_.push_back(std::move(command));
  }

  std::string_view rest_;
  std::string word_;
  Command command_;
  std::vector<Command> commands_;
  bool after_or_ = false;  // the command may run only if an earlier one fails
};

bool may_skip_others(const Command& command) {
  const auto& first = command.front();
  return std::ranges::find(conditions, first) != conditions.end() || first.starts_with('(') ||
         first.find("()") != std::string::npos ||
         (command.size() > 1 && command[1].starts_with("()"));
}

}  // namespace

std::vector<Command> unconditional_commands(std::string_view script) {
  if (script.find("<<") != std::string_view::npos) return {};
  auto commands = Splitter().split(script);
  if (std::ranges::any_of(commands, may_skip_others)) return {};
  return commands;
}

}  // namespace muster::remark
