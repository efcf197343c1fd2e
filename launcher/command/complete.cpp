// `muster complete`: prints the words for shell completion, one per line, all taken from muster's own
// declarations. The scripts for the shells are in packaging/completion.
#include "core/completion/option_value.hpp"
#include "core/error.hpp"
#include "core/profile/profile.hpp"
#include "launcher/command/command_line.hpp"
#include "launcher/command/commands.hpp"
#include "launcher/os/output.hpp"
#include "launcher/site/site.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <span>

namespace muster::command {
namespace {

using WordList = std::vector<std::string>;
using Takes = CommandOption::Takes;

constexpr std::string_view option_name = "--distributed";

// If a file of the site or the user is broken, there are no profiles, but the keys remain.
WordList profiles() {
  try {
    const site::Site site({}, site::current_environment(), true);
    return profile::profile_names(site.profile_directories());
  } catch (const Error&) {
    return {};
  }
}

WordList with_prefix(std::string_view prefix, const WordList& words) {
  WordList result;
  for (const auto& word : words) result.push_back(std::string(prefix) + word);
  return result;
}

// `typed` is "--name=VALUE".
WordList values_of_option(const Command& command, std::string_view typed) {
  const auto name = typed.substr(0, typed.find('='));
  const auto prefix = typed.substr(0, name.size() + 1);
  if (name == option_name)
    return with_prefix(prefix, completion::option_values(typed.substr(prefix.size()), profiles()));
  const auto found = std::ranges::find(command.options(), name, &CommandOption::name);
  if (found == command.options().end()) return {};
  return with_prefix(prefix, completion::literal_words(found->form));
}

WordList options_of(const Command& command) {
  WordList words{"--help"};
  for (const auto& option : command.options()) {
    if (option.meaning.empty()) continue;
    words.push_back(option.name + (option.takes == Takes::nothing ? "" : "="));
  }
  return words;
}

WordList names_of(const std::vector<Command>& commands) {
  WordList words{"--help", "--version"};
  for (const auto& command : commands) {
    if (!command.is_internal()) words.push_back(command.name());
  }
  return words;
}

// `words` are those after "muster"; the last one is being typed.
WordList words_of_line(const std::vector<Command>& commands, std::span<const std::string> words) {
  if (words.empty()) return {};
  const auto& typed = words.back();
  const auto before = words.first(words.size() - 1);
  const auto is_option = [](const std::string& word) { return word.starts_with('-'); };
  const auto name = std::ranges::find_if_not(before, is_option);
  if (name == before.end()) return names_of(commands);
  const auto command = std::ranges::find(commands, *name, &Command::name);
  if (command == commands.end() || command->is_internal()) return {};
  // After "--", and after a word that is not an option, another command's line begins.
  const bool handed_on =
      !std::all_of(name + 1, before.end(), is_option) || std::ranges::count(before, "--") > 0;
  if (handed_on || (!typed.empty() && !is_option(typed))) return {};
  return typed.find('=') == std::string::npos ? options_of(*command)
                                              : values_of_option(*command, typed);
}

}  // namespace

Command complete_command(const CommandLine& line) {
  auto words = std::make_shared<WordList>();
  Command command("complete", "print the possible completions of a command line");
  command.hands_on("words", *words, "").internal();
  return command.action([&line, words] {
    if (words->empty()) return EXIT_SUCCESS;
    const auto& typed = words->back();
    auto found = words->front() == "option"
                     ? completion::option_values(typed, profiles())
                     : words_of_line(line.commands(), std::span(*words).subspan(1));
    std::string text;
    for (const auto& word : found) {
      if (word.starts_with(typed)) text += word + '\n';
    }
    os::print(text, "complete");
    return EXIT_SUCCESS;
  });
}

}  // namespace muster::command
