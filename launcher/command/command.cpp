#include "launcher/command/command.hpp"

#include "core/text/duration.hpp"
#include "core/text/list.hpp"
#include "core/text/quote.hpp"
#include "core/text/suggestion.hpp"
#include "launcher/command/usage_error.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace muster::command {
namespace {

using Takes = CommandOption::Takes;

std::size_t parse_number(const std::string& name, const std::string& text) {
  std::size_t number = 0;
  const auto* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (!text.empty() && error == std::errc{} && stop == end) return number;
  throw UsageError(fmt::format("{} {}: expected a number", name, text::in_quotes(text)));
}

std::chrono::seconds parse_time(const std::string& name, const std::string& text) {
  const auto time = text::duration(text, std::chrono::seconds(1));
  if (time) return *time;
  throw UsageError(
      fmt::format("{} {}: expected a duration, {}; a number without a unit means seconds", name,
                  text::in_quotes(text), text::duration_forms));
}

std::size_t place_of(const std::string& name, const std::string& word,
                     const std::vector<std::string_view>& words) {
  const auto found = std::ranges::find(words, word);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  throw UsageError(fmt::format("{} {}: unknown value; {}", name, text::in_quotes(word),
                               text::suggestion(word, words)));
}

}  // namespace

Command& Command::flag(std::string name, bool& target, std::string meaning) {
  options_.push_back({.name = std::move(name),
                      .meaning = std::move(meaning),
                      .accept = [&target](const std::string& text) { target = text == "true"; }});
  return *this;
}

Command& Command::value(std::string name, std::string& target, std::string meaning) {
  options_.push_back({.name = std::move(name),
                      .meaning = std::move(meaning),
                      .takes = Takes::a_value,
                      .form = "TEXT",
                      .shown = target,
                      .accept = [&target](const std::string& text) { target = text; }});
  return *this;
}

Command& Command::value(std::string name, std::optional<std::string>& target, std::string meaning) {
  options_.push_back({.name = std::move(name),
                      .meaning = std::move(meaning),
                      .takes = Takes::a_value,
                      .form = "TEXT",
                      .accept = [&target](const std::string& text) { target = text; }});
  return *this;
}

Command& Command::value_or_nothing(std::string name, std::optional<std::string>& target,
                                   std::string meaning) {
  value(std::move(name), target, std::move(meaning));
  options_.back().takes = Takes::perhaps_a_value;
  return *this;
}

Command& Command::number(std::string name, std::size_t& target, std::string meaning) {
  options_.push_back(
      {.name = name,
       .meaning = std::move(meaning),
       .takes = Takes::a_value,
       .form = "N",
       .accept = [name, &target](const std::string& text) { target = parse_number(name, text); }});
  return *this;
}

Command& Command::time(std::string name, std::chrono::seconds& target, std::string meaning) {
  options_.push_back(
      {.name = name,
       .meaning = std::move(meaning),
       .takes = Takes::a_value,
       .form = "TIME",
       .accept = [name, &target](const std::string& text) { target = parse_time(name, text); }});
  return *this;
}

Command& Command::choice(std::string name, std::vector<std::string_view> words,
                         std::function<void(std::size_t)> choose, std::string meaning) {
  options_.push_back({.name = name,
                      .meaning = std::move(meaning),
                      .takes = Takes::a_value,
                      .form = text::join(words, "|"),
                      .accept = [name, words, choose](const std::string& text) {
                        choose(place_of(name, text, words));
                      }});
  return *this;
}

Command& Command::letter(char letter) {
  options_.back().letter = letter;
  return *this;
}

Command& Command::reads_like_argparse() {
  like_argparse_ = true;
  return *this;
}

Command& Command::hands_on(std::string name, std::vector<std::string>& target,
                           std::string meaning) {
  handed_on_ = {.name = std::move(name),
                .meaning = std::move(meaning),
                .accept = [&target](std::vector<std::string> words) { target = std::move(words); }};
  return *this;
}

Command& Command::takes(std::string name, std::vector<std::string>& target, std::string meaning) {
  hands_on(std::move(name), target, std::move(meaning));
  handed_on_->between_options = true;
  return *this;
}

Command& Command::needs_to_hand_on(std::string name, std::vector<std::string>& target,
                                   std::string meaning) {
  hands_on(std::move(name), target, std::move(meaning));
  handed_on_->required = true;
  return *this;
}

Command& Command::action(std::function<int()> action) {
  action_ = std::move(action);
  return *this;
}

Command& Command::internal() {
  internal_ = true;
  return *this;
}

}  // namespace muster::command
