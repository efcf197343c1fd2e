// The only file that includes CLI11: its header is large.
#include "launcher/command/option_parser.hpp"

#include <algorithm>
#include <deque>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace muster::command {
namespace {

using Takes = CommandOption::Takes;

// The parser writes its interpretation of a value here; muster uses the value as it was typed.
struct Understood {
  std::string text;
  bool flag = false;
  std::vector<std::string> words;
};

constexpr const char* between_options = "ARGUMENT";  // the kind of words; not shown
constexpr const char* hidden = "";                   // hides this group from the help

// Prints the help in the style of muster's manual pages, without the parser's own phrases.
class Help : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App* app, std::string name) const override {
    auto usage = fmt::format("Usage: {} [OPTION]...", name);
    if (!app->get_subcommands({}).empty()) usage += " COMMAND";
    const auto is_shown = [](const CLI::Option* option) {
      return option->get_positional() && option->get_group() != hidden;
    };
    for (const auto* words : app->get_options(is_shown)) {
      const auto form = form_of(*words);
      usage += words->get_required() ? " " + form : fmt::format(" [{}]", form);
    }
    return usage + '\n';
  }

  // Another program's command line may need -- before it; a subcommand of our own does not.
  static std::string form_of(const CLI::Option& words) {
    const auto name = words.get_name();
    if (words.get_type_name() == between_options) return name;
    const bool is_choice = name.find('|') != std::string::npos;
    return is_choice ? fmt::format("{} [OPTION]...", name) : fmt::format("[--] {}...", name);
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
    if (words.between_options) added->type_name(between_options);
    if (words.meaning.empty()) added->group(hidden);
  }

  void accept() const {
    for (std::size_t i = 0; i < options_.size(); ++i) {
      const auto& option = command_.options()[i];
      if (options_[i]->count() > 0) option.accept(value(*options_[i], option));
    }
  }

 private:
  // The letter is there only for the help: words.hpp has already replaced it with the name.
  static std::string names(const CommandOption& option) {
    return option.letter == 0 ? option.name : fmt::format("-{},{}", option.letter, option.name);
  }

  CLI::Option* add(CLI::App& parser, const CommandOption& option) {
    auto* const added = option.takes == Takes::nothing
                            ? parser.add_flag(names(option), understood_.flag, option.meaning)
                            : parser.add_option(names(option), understood_.text, option.meaning)
                                  ->type_name(option.form)
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

// The arguments for the parser, in which a single one stands for all those that are passed on.
std::vector<std::string> for_parser(const ParserWords& words) {
  std::vector<std::string> result(words.root.begin(), words.root.end());
  if (words.command == nullptr) return result;
  const auto& command = *words.command;
  result.push_back(command.name());
  for (const auto& word : words.own) {
    // The parser would read "--name=" as --name with the next argument as its value.
    const bool is_empty = word.ends_with('=') && word.find('=') + 1 == word.size();
    result.push_back(is_empty ? word.substr(0, word.size() - 1) : word);
    if (!is_empty) continue;
    const auto option = std::ranges::find(command.options(), result.back(), &CommandOption::name);
    if (option->takes == Takes::a_value) result.emplace_back();
  }
  if (words.hands_on) result.insert(result.end(), {"--", "WORDS"});
  return result;
}

}  // namespace

ParsedOptions parse_options(const ProgramText& program, const std::vector<Command>& commands,
                            const ParserWords& words) {
  CLI::App app(program.meaning, program.name);
  app.set_version_flag("--version", program.version);
  app.require_subcommand(1);
  app.formatter(std::make_shared<Help>());
  std::deque<ParsedCommand> parsed;
  for (const auto& command : commands) parsed.emplace_back(app, command);

  auto arguments = for_parser(words);
  std::ranges::reverse(arguments);  // the order that the parser expects
  try {
    app.parse(std::move(arguments));
  } catch (const CLI::Success& asked_for_help) {
    return {.exit_code = app.exit(asked_for_help)};
  } catch (const CLI::ParseError& error) {
    return {.error = error.what()};
  }
  if (words.command != nullptr) parsed[words.command - commands.data()].accept();
  return {};
}

}  // namespace muster::command
