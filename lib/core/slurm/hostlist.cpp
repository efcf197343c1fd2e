#include "core/slurm/hostlist.hpp"

#include "core/error.hpp"
#include "core/text/list.hpp"
#include "core/text/quote.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

#include <fmt/format.h>

namespace muster::slurm {
namespace {

constexpr std::size_t max_name_bytes = 255;  // the limit of a DNS name

[[noreturn]] void fail(std::string_view text, std::string_view why) {
  throw Error(fmt::format("cannot read the host list {}: {}; it should look like node[1-3,7]",
                          text::in_quotes(text), why));
}

struct Span {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  std::size_t width = 0;  // leading zeros are kept: [08-10] means 08, 09, 10
};

std::optional<std::uint64_t> number(std::string_view digits) {
  std::uint64_t value = 0;
  const auto* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

// "1-3" or "7".
Span parse_span(std::string_view range, std::string_view whole) {
  const auto dash = range.find('-');
  const auto low = number(range.substr(0, dash));
  const auto high = dash == std::string_view::npos ? low : number(range.substr(dash + 1));
  if (!low || !high) fail(whole, "a bracket contains something that is not a number");
  if (*high < *low) fail(whole, "a range runs backwards");
  if (*high - *low >= max_hosts) fail(whole, "it names too many hosts");
  const auto width = std::min(dash, range.size());
  if (width > max_name_bytes) fail(whole, "a name is too long");
  return {*low, *high, width};
}

std::string padded(std::uint64_t value, std::size_t width) {
  const fmt::format_int digits(value);
  std::string text(std::max(width, digits.size()) - digits.size(), '0');
  return text.append(digits.data(), digits.size());
}

// The texts that one bracket stands for.
std::vector<std::string> bracket_texts(std::string_view inside, std::string_view whole) {
  std::vector<std::string> texts;
  while (true) {
    const auto comma = inside.find(',');
    const auto span = parse_span(inside.substr(0, comma), whole);
    if (texts.size() + (span.high - span.low) >= max_hosts) fail(whole, "it names too many hosts");
    // The last number may be the largest possible one, so the loop counts up to the size, not to the number.
    for (std::uint64_t i = 0; i <= span.high - span.low; ++i) {
      texts.push_back(padded(span.low + i, span.width));
    }
    if (comma == std::string_view::npos) return texts;
    inside.remove_prefix(comma + 1);
  }
}

// One item between top-level commas: the texts of its brackets, and the text around them.
struct Item {
  std::vector<std::string_view> around;  // one more than there are brackets
  std::vector<std::vector<std::string>> brackets;
};

Item parse_item(std::string_view item, std::string_view whole) {
  if (item.empty()) fail(whole, "a name is empty");
  Item parsed;
  std::size_t hosts = 1;
  while (true) {
    const auto open = item.find('[');
    parsed.around.push_back(item.substr(0, open));
    if (parsed.around.back().find(']') != std::string_view::npos) {
      fail(whole, "a ']' has no matching '['");
    }
    if (open == std::string_view::npos) return parsed;
    if (parsed.brackets.size() == max_name_bytes) fail(whole, "a name is too long");
    const auto close = item.find(']', open);
    if (close == std::string_view::npos) fail(whole, "a bracket is not closed");
    parsed.brackets.push_back(bracket_texts(item.substr(open + 1, close - open - 1), whole));
    hosts *= parsed.brackets.back().size();
    if (hosts > max_hosts) fail(whole, "it names too many hosts");
    item.remove_prefix(close + 1);
  }
}

// Which text of each bracket a name uses. Advances to the next name; false after the last one.
bool advance(const Item& item, std::vector<std::size_t>& chosen) {
  // Slurm's order: the last bracket varies fastest, then the first, the second and so on.
  for (std::size_t turn = 0; turn < chosen.size(); ++turn) {
    const auto bracket = turn == 0 ? chosen.size() - 1 : turn - 1;
    if (++chosen[bracket] < item.brackets[bracket].size()) return true;
    chosen[bracket] = 0;
  }
  return false;
}

void append_names(const Item& item, std::string_view whole, std::vector<std::string>& hosts) {
  std::vector<std::size_t> chosen(item.brackets.size());
  do {
    std::string name(item.around.front());
    for (std::size_t bracket = 0; bracket < chosen.size(); ++bracket) {
      name += item.brackets[bracket][chosen[bracket]];
      name += item.around[bracket + 1];
      if (name.size() > max_name_bytes) break;
    }
    if (name.size() > max_name_bytes) fail(whole, "a name is too long");
    hosts.push_back(std::move(name));
  } while (advance(item, chosen));
}

// The end of the item that starts at `begin`: a comma outside brackets, or the end of the text.
std::size_t item_end(std::string_view text, std::size_t begin) {
  bool inside = false;
  for (auto i = begin; i < text.size(); ++i) {
    if (text[i] == '[') inside = true;
    if (text[i] == ']') inside = false;
    if (text[i] == ',' && !inside) return i;
  }
  return text.size();
}

// A name that ends in a number: "node07" is "node" and 7 in two digits.
struct NumberedName {
  std::string_view stem;
  std::uint64_t number = 0;
  // 0 for a name that does not end in a number, or whose number is too long.
  std::size_t digits = 0;

  [[nodiscard]] bool is_followed_by(const NumberedName& next) const {
    return digits > 0 && digits == next.digits && stem == next.stem && number + 1 == next.number;
  }
};

NumberedName numbered(std::string_view name) {
  constexpr std::size_t max_digits = 9;
  const auto stem = name.find_last_not_of("0123456789") + 1;  // 0 if there are only digits
  const auto digits = name.substr(stem);
  if (stem == 0 || digits.empty() || digits.size() > max_digits) return {.stem = name};
  return {name.substr(0, stem), number(digits).value_or(0), digits.size()};
}

std::string range(const NumberedName& first, const NumberedName& last) {
  const auto low = padded(first.number, first.digits);
  return first.number == last.number ? low : low + '-' + padded(last.number, last.digits);
}

}  // namespace

std::vector<std::string> expand_hostlist(std::string_view text) {
  std::vector<std::string> hosts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const auto end = item_end(text, begin);
    append_names(parse_item(text.substr(begin, end - begin), text), text, hosts);
    if (hosts.size() > max_hosts) fail(text, "it names too many hosts");
    begin = end + 1;
  }
  return hosts;
}

std::string compress_hostlist(std::span<const std::string> names) {
  std::vector<NumberedName> parts;
  for (const auto& name : names) parts.push_back(numbered(name));
  std::string text;
  for (std::size_t i = 0; i < parts.size();) {
    const auto& stem = parts[i].stem;
    std::vector<std::string> ranges;
    while (i < parts.size() && parts[i].stem == stem && parts[i].digits > 0) {
      const auto first = i;
      while (i + 1 < parts.size() && parts[i].is_followed_by(parts[i + 1])) ++i;
      ranges.push_back(range(parts[first], parts[i]));
      ++i;
    }
    if (!text.empty()) text += ',';
    text += stem;
    if (ranges.empty()) ++i;
    const bool is_single = ranges.size() == 1 && ranges.front().find('-') == std::string::npos;
    if (is_single) text += ranges.front();
    if (!ranges.empty() && !is_single) text += '[' + text::join(ranges, ",") + ']';
  }
  return text;
}

}  // namespace muster::slurm
