// The only file that includes CLI11: its header is large.
#include "launcher/command/command_line.hpp"

#include "core/text/quote.hpp"
#include "core/text/suggestion.hpp"
#include "launcher/command/words.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <deque>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace muster::command {
namespace {

using Takes = CommandOption::Takes;

// The parser writes its reading of a value here; we take the value as it was typed.
struct Understood {
  std::string text;
  bool flag = false;
  std::vector<std::string> words;
};

constexpr const char* hidden = "";  // the parser's help leaves this group out

// The help in the words of our manual page, without the parser's own.
class Help : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App* app, std::string name) const override {
    auto usage = fmt::format("Usage: {} [OPTION]...", name);
    if (!app->get_subcommands({}).empty()) usage += " COMMAND";
    const auto is_shown = [](const CLI::Option* option) {
      return option->get_positional() && option->get_group() != hidden;
    };
    for (const auto* words : app->get_options(is_shown)) {
      const auto form = fmt::format("-- {}...", words->get_name());
      usage += words->get_required() ? " " + form : fmt::format(" [{}]", form);
    }
    return usage + '\n';
  }

  std::string make_positionals(const CLI::App* app) const override {
    std::string lines;
    for (const auto* words :
         app->get_options([](auto* option) { return option->get_positional(); }))
      if (words->get_group() != hidden)
        lines += fmt::format("\n{}: {}\n", words->get_name(), words->get_description());
    return lines;
  }

  std::string make_option_opts(const CLI::Option* option) const override {
    if (option->get_type_size() == 0) return {};
    return ' ' + option->get_type_name();
  }

  std::string make_option_desc(const CLI::Option* option) const override {
    if (option->get_default_str().empty()) return option->get_description();
    return fmt::format("{} (default {})", option->get_description(), option->get_default_str());
  }
};

// A command's options in the parser's terms.
class ParsedCommand {
 public:
  ParsedCommand(CLI::App& app, const Command& command) : command_(command) {
    auto* const parser = app.add_subcommand(command.name(), command.meaning());
    parser->group(command.is_internal() ? hidden : "Commands");
    for (const auto& option : command.options()) options_.push_back(add(*parser, option));
    if (!command.handed_on()) return;
    const auto& words = *command.handed_on();
    auto* const added = parser->add_option(words.name, understood_.words, words.meaning);
    added->required(words.required);
    if (words.meaning.empty()) added->group(hidden);
  }

  void accept() const {
    for (std::size_t i = 0; i < options_.size(); ++i) {
      const auto& option = command_.options()[i];
      if (options_[i]->count() > 0) option.accept(value(*options_[i], option));
    }
  }

 private:
  CLI::Option* add(CLI::App& parser, const CommandOption& option) {
    if (option.takes == Takes::nothing) {
      return parser.add_flag(option.name, understood_.flag, option.meaning);
    }
    auto* const added = parser.add_option(option.name, understood_.text, option.meaning);
    added->type_name(option.form)
        ->allow_extra_args(false)
        ->expected(option.takes == Takes::a_value ? 1 : 0, 1);
    if (!option.shown.empty()) added->default_str(option.shown);
    if (option.meaning.empty()) added->group(hidden);
    return added;
  }

  static std::string value(const CLI::Option& parsed, const CommandOption& option) {
    if (option.takes == Takes::nothing) return parsed.as<bool>() ? "true" : "false";
    return parsed.results().empty() ? "" : parsed.results().back();
  }

  const Command& command_;
  Understood understood_;
  std::vector<CLI::Option*> options_;
};

// The arguments for the parser: one argument stands for all that are handed on.
std::vector<std::string> for_parser(const Command& command, const Words& words) {
  std::vector<std::string> result;
  for (const auto& word : words.own) {
    // The parser reads "--name=" as a --name whose value is the next argument.
    const bool is_empty = word.ends_with('=') && word.find('=') + 1 == word.size();
    result.push_back(is_empty ? word.substr(0, word.size() - 1) : word);
    if (!is_empty) continue;
    const auto option = std::ranges::find(command.options(), result.back(), &CommandOption::name);
    if (option->takes == Takes::a_value) result.emplace_back();
  }
  if (!words.handed_on.empty()) result.insert(result.end(), {"--", "WORDS"});
  return result;
}

bool is_option(const std::string& word) {
  return word.starts_with('-');
}

// The exit code if the parser has already done the work: help, version.
std::optional<int> parse(CLI::App& app, std::vector<std::string> words) {
  std::ranges::reverse(words);  // the order that the parser expects
  try {
    app.parse(std::move(words));
    return std::nullopt;
  } catch (const CLI::Success& asked_for_help) {
    return app.exit(asked_for_help);
  } catch (const CLI::ParseError& error) {
    throw UsageError(fmt::format("{}; see `muster --help`", text::printable_path(error.what())));
  }
}

// An option of a command that stands in front of it, or of a command that is missing.
std::optional<std::string> meant_option(std::string_view word,
                                        const std::vector<Command>& commands) {
  std::vector<std::string_view> names{"--help", "--version"};
  const auto own = names.size();
  std::vector<std::string_view> owners(own);
  for (const auto& command : commands) {
    if (command.is_internal()) continue;
    for (const auto& option : command.options()) {
      if (option.meaning.empty() || std::ranges::find(names, option.name) != names.end()) continue;
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
  if (std::ranges::find(options, word) != options.end()) return;
  const auto meant = meant_option(std::string_view(word).substr(0, word.find('=')), commands);
  throw UsageError(fmt::format("muster has no option {} before its command; {}",
                               text::in_quotes(word),
                               meant ? fmt::format("did you mean `{}`?", *meant)
                                     : text::suggestion(word, std::span(options).first(2))));
}

int explain_internal(const Command& command) {
  fmt::print(
      "muster {}: {}\n\nmuster.so starts it. To start a training job, use srun --distributed; its "
      "keys and profiles are in\nsrun --distributed=help\n",
      command.name(), command.meaning());
  return EXIT_SUCCESS;
}

}  // namespace

const Command& CommandLine::named(const std::string& word) const {
  const auto found = std::ranges::find(commands_, word, &Command::name);
  if (found != commands_.end()) return *found;
  std::vector<std::string_view> names{"--help", "--version"};
  for (const auto& command : commands_) {
    if (!command.is_internal()) names.push_back(command.name());
  }
  throw UsageError(fmt::format("there is no command {}; {}", text::in_quotes(word),
                               text::suggestion(word, names)));
}

int CommandLine::run(const std::vector<std::string>& words) const {
  CLI::App app(meaning_, "muster");
  app.set_version_flag("--version", version_);
  app.require_subcommand(1);
  app.formatter(std::make_shared<Help>());
  std::deque<ParsedCommand> parsed;
  for (const auto& command : commands_) parsed.emplace_back(app, command);

  const auto name = std::find_if_not(words.begin() + 1, words.end(), is_option);
  std::vector<std::string> own(words.begin() + 1, name);
  for (const auto& word : own) check_root_option(word, commands_);
  if (name == words.end()) return parse(app, own).value_or(EXIT_FAILURE);

  const auto& command = named(*name);
  auto split = split_words(command, std::span(words).subspan(name - words.begin() + 1));
  const bool wants_help = split.own == std::vector<std::string>{"--help"} ||
                          split.own == std::vector<std::string>{"-h"};
  if (command.is_internal() && wants_help) return explain_internal(command);
  own.push_back(*name);
  std::ranges::move(for_parser(command, split), std::back_inserter(own));
  if (const auto exit_code = parse(app, own)) return *exit_code;
  parsed[&command - commands_.data()].accept();
  if (command.handed_on()) command.handed_on()->accept(std::move(split.handed_on));
  return command.run();
}

}  // namespace muster::command
