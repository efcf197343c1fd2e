#include "launcher/tools/preflight/nccl/words.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace muster::preflight::nccl {
namespace {

constexpr std::size_t key_digits = 64;
constexpr std::size_t max_place = 128;
constexpr std::size_t max_why = 600;
constexpr double largest = 1e15;

constexpr std::array<std::string_view, 5> outcomes{"ready", "left-out", "measured", "late",
                                                   "failed"};

std::string_view take_word(std::string_view& line) {
  const auto word = line.substr(0, line.find(' '));
  line.remove_prefix(std::min(word.size() + 1, line.size()));
  return word;
}

template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number value{};
  const auto* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc{} && stop == end ? std::optional(value) : std::nullopt;
}

std::optional<double> amount_in(std::string_view text) {
  const auto value = number_in<double>(text);
  const bool sane = value && std::isfinite(*value) && *value >= 0 && *value <= largest;
  return sane ? value : std::nullopt;
}

bool is_printable(std::string_view text) {
  return std::ranges::none_of(text, [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

// Reduces whatever a library has said to one line.
std::string cleaned(std::string_view text) {
  std::string line(text.substr(0, max_why));
  for (char& c : line) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) c = ' ';
  }
  return line.empty() ? "no reason given" : line;
}

std::string number_text(double value) {
  std::array<char, 32> text{};
  const auto size = std::snprintf(text.data(), text.size(), "%.6g", value);
  return {text.data(), static_cast<std::size_t>(size)};
}

bool is_key(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  return text.size() == key_digits && text.find_first_not_of(digits) == std::string_view::npos;
}

std::optional<Figures> figures_in(std::string_view line) {
  const auto latency = amount_in(take_word(line));
  const auto mean = amount_in(take_word(line));
  const auto bandwidth = amount_in(take_word(line));
  if (!latency || !mean || !bandwidth || !line.empty()) return std::nullopt;
  return Figures{*latency, *mean, *bandwidth};
}

}  // namespace

std::string to_line(const Order& order) {
  return "test " + std::to_string(order.rank) + (order.small ? " small " : " full ") +
         std::to_string(order.limit.count()) + ' ' + order.place + ' ' + order.key;
}

std::string to_line(const Answer& answer) {
  const std::string line(outcomes.at(static_cast<std::size_t>(answer.outcome)));
  const auto& [latency, mean, bandwidth] = answer.figures;
  switch (answer.outcome) {
    case Outcome::ready:
      return line + ' ' + std::to_string(answer.version);
    case Outcome::measured:
      return line + ' ' + number_text(latency) + ' ' + number_text(mean) + ' ' +
             number_text(bandwidth);
    default:
      return line + ' ' + cleaned(answer.why);
  }
}

std::optional<Order> order_in(std::string_view line) {
  if (line.size() > max_line || take_word(line) != "test") return std::nullopt;
  const auto rank = number_in<int>(take_word(line));
  const auto size = take_word(line);
  const auto limit = number_in<long>(take_word(line));
  const auto place = take_word(line);
  if (!rank || *rank < 0 || *rank > 1 || (size != "small" && size != "full")) return std::nullopt;
  if (!limit || *limit < 1 || *limit > max_limit.count()) return std::nullopt;
  if (place.empty() || place.size() > max_place || !is_printable(place) || !is_key(line))
    return std::nullopt;
  return Order{*rank, size == "small", std::chrono::milliseconds(*limit), std::string(place),
               std::string(line)};
}

std::optional<Answer> answer_in(std::string_view line) {
  if (line.size() > max_line) return std::nullopt;
  const auto* const outcome = std::ranges::find(outcomes, take_word(line));
  if (outcome == outcomes.end()) return std::nullopt;
  Answer answer{static_cast<Outcome>(outcome - outcomes.begin()), 0, {}, {}};
  if (answer.outcome == Outcome::ready) {
    const auto version = number_in<int>(line);
    if (!version || *version < 1) return std::nullopt;
    answer.version = *version;
  } else if (answer.outcome == Outcome::measured) {
    const auto figures = figures_in(line);
    if (!figures) return std::nullopt;
    answer.figures = *figures;
  } else {
    if (line.empty() || line.size() > max_why || !is_printable(line)) return std::nullopt;
    answer.why = line;
  }
  return answer;
}

}  // namespace muster::preflight::nccl
