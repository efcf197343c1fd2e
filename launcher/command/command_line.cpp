#include "launcher/command/command_line.hpp"

#include "core/contains.hpp"
#include "core/text/quote.hpp"
#include "core/text/suggestion.hpp"
#include "launcher/command/option_parser.hpp"
#include "launcher/command/usage_error.hpp"
#include "launcher/command/words.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>

#include <fmt/format.h>

namespace muster::command {
namespace {

bool is_option(const std::string& word) {
  return word.starts_with('-');
}

// Recognises an option of a command that was given before the command, or without a command.
std::optional<std::string> meant_option(std::string_view word,
                                        const std::vector<Command>& commands) {
  std::vector<std::string_view> names{"--help", "--version"};
  const auto own = names.size();
  std::vector<std::string_view> owners(own);
  for (const auto& command : commands) {
    if (command.is_internal()) continue;
    for (const auto& option : command.options()) {
      if (option.meaning.empty() || contains(names, option.name)) continue;
      names.push_back(option.name);
      owners.push_back(command.name());
    }
  }
  const auto meant = text::suggested_word(word, names);
  if (!meant) return std::nullopt;
  const auto place = static_cast<std::size_t>(std::ranges::find(names, *meant) - names.begin());
  return place < own ? std::string(*meant) : fmt::format("muster {} {}", owners[place], *meant);
}

void check_root_option(const std::string& word, const std::vector<Command>& commands) {
  constexpr std::array<std::string_view, 3> options{"--help", "--version", "-h"};
  if (contains(options, word)) return;
  const auto meant = meant_option(std::string_view(word).substr(0, word.find('=')), commands);
  throw UsageError(fmt::format("muster has no global option {}; {}", text::in_quotes(word),
                               meant ? fmt::format("did you mean `{}`?", *meant)
                                     : text::suggestion(word, std::span(options).first(2))));
}

int explain_internal(const Command& command) {
  fmt::print(
      "muster {}: {}\n\nmuster starts this command itself. To launch a run, use srun "
      "--distributed; for its keys\nand profiles, see srun --distributed=help\n",
      command.name(), command.meaning());
  return EXIT_SUCCESS;
}

// Supports `muster help` and `muster help COMMAND`, as git and cargo do.
std::vector<std::string> without_help_word(std::vector<std::string> words) {
  if (words.size() < 2 || words[1] != "help" || words.size() > 3) return words;
  words.erase(words.begin() + 1);
  words.emplace_back("--help");
  return words;
}

}  // namespace

const Command& CommandLine::named(const std::string& word) const {
  const auto found = std::ranges::find(commands_, word, &Command::name);
  if (found != commands_.end()) return *found;
  std::vector<std::string_view> names{"--help", "--version"};
  for (const auto& command : commands_) {
    if (!command.is_internal()) names.push_back(command.name());
  }
  throw UsageError(
      fmt::format("unknown command {}; {}", text::in_quotes(word), text::suggestion(word, names)));
}

int CommandLine::run(const std::vector<std::string>& typed) const {
  const auto words = without_help_word(typed);
  const auto parse = [this](const ParserWords& own) {
    const auto parsed = parse_options({meaning_, version_, name_}, commands_, own);
    if (!parsed.error.empty()) {
      throw UsageError(
          fmt::format("{}; see `{} --help`", text::printable_path(parsed.error), name_));
    }
    return parsed.exit_code;
  };
  const auto name = std::find_if_not(words.begin() + 1, words.end(), is_option);
  const std::vector<std::string> own(words.begin() + 1, name);
  for (const auto& word : own) check_root_option(word, commands_);
  if (name == words.end()) return parse({own}).value_or(EXIT_FAILURE);

  const auto& command = named(*name);
  auto split = split_words(command, std::span(words).subspan(name - words.begin() + 1));
  const bool wants_help = split.own == std::vector<std::string>{"--help"} ||
                          split.own == std::vector<std::string>{"-h"};
  if (command.is_internal() && wants_help) return explain_internal(command);
  if (const auto exit_code = parse({own, &command, split.own, !split.handed_on.empty()})) {
    return *exit_code;
  }
  if (command.handed_on()) command.handed_on()->accept(std::move(split.handed_on));
  return command.run();
}

}  // namespace muster::command
