#include "core/srun/line.hpp"

#include "core/srun/options.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>

namespace muster::srun {
namespace {

constexpr std::string_view component_separator = ":";

class Reader {
 public:
  // Reads the words from `begin` on. `program` is its index, or 0.
  Reader(const std::vector<std::string>& words, std::size_t begin, std::size_t program)
      : words_(words),
        end_(program == 0 ? words.size() : std::min(program, words.size())),
        knows_program_(program != 0),
        at_(begin) {
    line_.begin = begin;
  }

  Line read() {
    while (at_ < end_ && words_[at_].starts_with('-') && words_[at_] != "-" &&
           words_[at_] != "--") {
      if (words_[at_].starts_with("--")) {
        read_long();
      } else {
        read_letters();
      }
    }
    line_.end = at_;
    if (at_ < end_ && words_[at_] == "--") ++at_;
    line_.program = knows_program_ ? end_ : at_;
    return std::move(line_);
  }

 private:
  void read_long() {
    const auto word = words_[at_++];
    const auto equals = word.find('=');
    const auto given = std::string_view(word).substr(2, equals - 2);
    const auto* const known = complete_option(given);
    Option option{std::string(known == nullptr ? given : own_name(*known)), {}, {word}};
    if (equals != std::string::npos) {
      option.value = word.substr(equals + 1);
    } else if (known == nullptr ? value_of_plugins_follows() : known->form == Form::required) {
      take_next(option);
    }
    line_.options.push_back(std::move(option));
  }

  void read_letters() {
    const auto word = words_[at_++];
    for (std::size_t i = 1; i < word.size(); ++i) {
      const auto* const known = find_option(word[i]);
      Option option{known == nullptr ? "" : std::string(known->name), {}, {{'-', word[i]}}};
      const auto form = known == nullptr ? Form::none : known->form;
      if (form != Form::none && i + 1 < word.size()) {
        option.value = word.substr(i + 1);
        option.words.front() += *option.value;
        i = word.size();
      } else if (form == Form::required) {
        take_next(option);
      }
      line_.options.push_back(std::move(option));
    }
  }

  // srun has accepted the line, so a word without a dash before the program must be an option's value.
  [[nodiscard]] bool value_of_plugins_follows() const {
    return knows_program_ && at_ < end_ && !words_[at_].starts_with('-');
  }

  void take_next(Option& option) {
    if (at_ >= end_) return;
    option.value = words_[at_];
    option.words.push_back(words_[at_++]);
  }

  const std::vector<std::string>& words_;
  std::size_t end_;
  bool knows_program_;
  std::size_t at_;
  Line line_;
};

// The values that mean yes in the variable of an option without a value; all others mean no.
bool is_yes(std::string_view text) {
  if (text.empty()) return true;
  const auto is_same = [](unsigned char a, char b) { return std::tolower(a) == b; };
  if (std::ranges::equal(text, std::string_view("yes"), is_same)) return true;
  long number = 0;
  const auto* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc{} && stop == end && number != 0;
}

std::optional<Option> option_of_variable(const OptionInfo& info, const std::string& text) {
  Option option{std::string(info.name), text, {}};
  if (info.form == Form::none && !is_yes(text)) return std::nullopt;
  if (info.form == Form::none || (info.form == Form::optional && text.empty())) {
    option.value.reset();
  }
  return option;
}

}  // namespace

const Option* Line::last(std::string_view name) const {
  if (const auto* const info = find_option(name)) name = own_name(*info);
  const auto found = std::find_if(options.rbegin(), options.rend(),
                                  [&](const auto& option) { return option.name == name; });
  return found == options.rend() ? nullptr : &*found;
}

bool Line::has_any(std::initializer_list<std::string_view> names) const {
  return std::ranges::any_of(names, [&](auto name) { return has(name); });
}

Line read_line(const Command& command) {
  return Reader(command.words, 1, command.program).read();
}

std::vector<Line> read_components(const Command& command) {
  const auto& words = command.words;
  std::vector<Line> lines{read_line(command)};
  while (true) {
    // srun looks for the colon after its own options: an option's value may be a colon.
    const auto behind =
        words.begin() + static_cast<std::ptrdiff_t>(std::min(lines.back().end, words.size()));
    const auto colon = std::find(behind, words.end(), component_separator);
    if (colon == words.end()) return lines;
    lines.push_back(Reader(words, static_cast<std::size_t>(colon - words.begin()) + 1, 0).read());
  }
}

Line read_step(const Command& command) {
  auto lines = read_components(command);
  auto step = std::move(lines.front());
  for (std::size_t i = 1; i < lines.size(); ++i) {
    step.options.insert(step.options.end(), lines[i].options.begin(), lines[i].options.end());
  }
  return step;
}

std::string_view chosen_variable(const Environment& environment, std::string_view name) {
  std::string_view found;
  const auto* const info = find_option(name);
  if (info == nullptr) return found;
  for (const auto variable : info->variables) {
    if (environment.contains(variable)) found = variable;
  }
  return found;
}

std::optional<std::string> setting(const Line& line, const Environment& environment,
                                   std::string_view name) {
  if (const auto* const option = line.last(name)) return option->value.value_or("");
  const auto* const value = environment.if_set(chosen_variable(environment, name));
  return value == nullptr ? std::nullopt : std::optional(*value);
}

Line with_variables(Line line, const Environment& environment) {
  std::vector<Option> options;
  for (const auto& info : all_options()) {
    for (const auto variable : info.variables) {
      const auto* const value = environment.if_set(variable);
      if (value == nullptr) continue;
      if (auto option = option_of_variable(info, *value)) {
        options.push_back(std::move(*option));
      }
    }
  }
  line.options.insert(line.options.begin(), options.begin(), options.end());
  return line;
}

std::vector<std::string> options_of_plugins(const Line& line) {
  std::vector<std::string> found;
  for (const auto& option : line.options) {
    const bool is_long = !option.words.empty() && option.words.front().starts_with("--");
    const bool is_mine = std::string_view("distributed").starts_with(option.name);
    if (is_long && !is_mine && !begins_option(option.name)) found.push_back(option.name);
  }
  return found;
}

}  // namespace muster::srun
