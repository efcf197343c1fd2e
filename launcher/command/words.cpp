#include "launcher/command/words.hpp"

#include "core/text/quote.hpp"
#include "core/text/suggestion.hpp"
#include "launcher/command/usage_error.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

namespace muster::command {
namespace {

using Takes = CommandOption::Takes;

// A lone dash is a file name, and -1 is a number.
bool looks_like_option(std::string_view word) {
  const bool is_number = word.size() > 1 && word[1] >= '0' && word[1] <= '9';
  return word.size() > 1 && word.front() == '-' && !is_number;
}

bool asks_for_help(std::string_view word) {
  return word == "-h" || word == "--help";
}

class Split {
 public:
  Split(const Command& command, std::span<const std::string> words)
      : command_(command), rest_(words) {}

  Words words() {
    std::vector<std::string> others;
    while (!rest_.empty() && rest_.front() != "--" && is_own(rest_.front())) {
      const auto& word = take();
      if (asks_for_help(word)) return {{word}, {}};
      if (looks_like_option(word)) {
        add_option(word);
      } else {
        others.push_back(word);
      }
    }
    if (!rest_.empty() && rest_.front() == "--") take();
    if (!rest_.empty() && !command_.handed_on()) refuse(rest_.front());
    others.insert(others.end(), rest_.begin(), rest_.end());
    return {std::move(own_), std::move(others)};
  }

 private:
  [[nodiscard]] bool is_own(const std::string& word) const {
    return looks_like_option(word) ||
           (command_.handed_on() && command_.handed_on()->between_options);
  }

  const std::string& take() {
    const auto& word = rest_.front();
    rest_ = rest_.subspan(1);
    return word;
  }

  void add_option(const std::string& word) {
    if (const auto* const option = option_with_letter(word)) return add_short(*option, word);
    const auto name = std::string_view(word).substr(0, word.find('='));
    const auto& option = option_named(name);
    if (word.find('=') != std::string::npos) {
      own_.push_back(option.name + word.substr(name.size()));
    } else if (takes_next(option)) {
      own_.push_back(fmt::format("{}={}", option.name, take()));
    } else {
      own_.push_back(option.name);
    }
  }

  [[nodiscard]] const CommandOption* option_with_letter(std::string_view word) const {
    if (word.starts_with("--")) return nullptr;
    const auto& options = command_.options();
    const auto found = std::ranges::find(options, word[1], &CommandOption::letter);
    return found == options.end() ? nullptr : &*found;
  }

  // "-r3", "-r 3", "-m".
  void add_short(const CommandOption& option, const std::string& word) {
    const auto rest = word.substr(2);
    if (option.takes == Takes::nothing) {
      if (!rest.empty()) refuse_option(word);
      own_.push_back(option.name);
    } else if (!rest.empty()) {
      own_.push_back(fmt::format("{}={}", option.name, rest));
    } else {
      own_.push_back(takes_next(option) ? fmt::format("{}={}", option.name, take()) : option.name);
    }
  }

  // An option with an optional value does not consume the command's only argument.
  [[nodiscard]] bool takes_next(const CommandOption& option) const {
    if (option.takes == Takes::nothing || rest_.empty()) return false;
    if (option.takes == Takes::a_value) return true;
    const std::size_t needed = command_.handed_on() && command_.handed_on()->required ? 1 : 0;
    return !looks_like_option(rest_.front()) && rest_.size() > needed;
  }

  [[nodiscard]] const CommandOption& option_named(std::string_view name) const {
    const auto& options = command_.options();
    const auto found = std::ranges::find(options, name, &CommandOption::name);
    if (found != options.end()) return *found;
    if (const auto* const meant = option_of_argparse(name)) return *meant;
    refuse_option(name);
  }

  // Refuses an abbreviation that fits several options, too.
  [[nodiscard]] const CommandOption* option_of_argparse(std::string_view name) const {
    if (!command_.like_argparse() || name.size() < 3 || !name.starts_with("--")) return nullptr;
    std::string dashed(name);
    std::ranges::replace(dashed, '_', '-');
    const CommandOption* meant = nullptr;
    for (const auto& option : command_.options()) {
      if (option.name == dashed) return &option;
      if (!option.name.starts_with(dashed)) continue;
      if (meant != nullptr) return nullptr;
      meant = &option;
    }
    return meant;
  }

  [[noreturn]] void refuse_option(std::string_view name) const {
    std::vector<std::string_view> names;
    for (const auto& option : command_.options()) names.push_back(option.name);
    names.emplace_back("--help");
    throw UsageError(fmt::format(
        "muster {} has no option {}; {}", command_.name(), text::in_quotes(name),
        is_sruns(name, names) ? fmt::format("put srun's options after --: `muster {} -- {}`",
                                            command_.name(), text::printable_path(name))
                              : suggestion(name, names)));
  }

  // If no option is similar, the help is a better list than one long line would be.
  [[nodiscard]] std::string suggestion(std::string_view name,
                                       const std::vector<std::string_view>& names) const {
    constexpr std::size_t max_listed = 8;
    if (names.size() <= max_listed || text::suggested_word(name, names)) {
      return text::suggestion(name, names);
    }
    return fmt::format("see `muster {} --help`", command_.name());
  }

  // Whether it is more likely an option of srun than a mistyped one of the command.
  [[nodiscard]] bool is_sruns(std::string_view name,
                              const std::vector<std::string_view>& names) const {
    const auto& words = command_.handed_on();
    return words && words->name.starts_with("srun") && !text::suggested_word(name, names);
  }

  [[noreturn]] void refuse(const std::string& word) const {
    throw UsageError(fmt::format("muster {} takes only options, not {}; see `muster {} --help`",
                                 command_.name(), text::in_quotes(word), command_.name()));
  }

  const Command& command_;
  std::span<const std::string> rest_;
  std::vector<std::string> own_;
};

}  // namespace

Words split_words(const Command& command, std::span<const std::string> words) {
  return Split(command, words).words();
}

}  // namespace muster::command
