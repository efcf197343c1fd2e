#include "core/hostlist.hpp"

#include "core/error.hpp"
#include "core/quote.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

#include <fmt/format.h>

namespace muster {
namespace {

constexpr std::size_t max_name_bytes = 255;  // of a DNS name

[[noreturn]] void fail(std::string_view text, std::string_view why) {
  throw Error(fmt::format("cannot read the host list {}: {}; it should look like node[1-3,7]",
                          in_quotes(text), why));
}

struct Span {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  std::size_t width = 0;  // leading zeros are kept: [08-10] is 08, 09, 10
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
  if (!low || !high) fail(whole, "a bracket holds something that is no number");
  if (*high < *low) fail(whole, "a range runs backwards");
  if (*high - *low >= max_hosts) fail(whole, "it names too many hosts");
  const auto width = std::min(dash, range.size());
  if (width > max_name_bytes) fail(whole, "a name is too long");
  return {*low, *high, width};
}

// The texts that one bracket stands for.
std::vector<std::string> bracket_texts(std::string_view inside, std::string_view whole) {
  std::vector<std::string> texts;
  while (true) {
    const auto comma = inside.find(',');
    const auto span = parse_span(inside.substr(0, comma), whole);
    if (texts.size() + (span.high - span.low) >= max_hosts) fail(whole, "it names too many hosts");
    // The last number may be the largest that there is: count how many, not up to it.
    for (std::uint64_t i = 0; i <= span.high - span.low; ++i) {
      texts.push_back(fmt::format("{:0{}}", span.low + i, span.width));
    }
    if (comma == std::string_view::npos) return texts;
    inside.remove_prefix(comma + 1);
  }
}

std::vector<std::string> combine(const std::vector<std::string>& names,
                                 const std::vector<std::string>& tails, std::string_view whole) {
  if (names.size() * tails.size() > max_hosts) fail(whole, "it names too many hosts");
  std::vector<std::string> combined;
  combined.reserve(names.size() * tails.size());
  for (const auto& name : names) {
    for (const auto& tail : tails) {
      if (name.size() + tail.size() > max_name_bytes) fail(whole, "a name is too long");
      combined.push_back(name + tail);
    }
  }
  return combined;
}

// One item between top-level commas.
std::vector<std::string> expand_item(std::string_view item, std::string_view whole) {
  if (item.empty()) fail(whole, "a name is empty");
  std::vector<std::string> names{""};
  while (!item.empty()) {
    const auto open = item.find('[');
    names = combine(names, {std::string(item.substr(0, open))}, whole);
    if (open == std::string_view::npos) break;
    const auto close = item.find(']', open);
    if (close == std::string_view::npos) fail(whole, "a bracket is not closed");
    names = combine(names, bracket_texts(item.substr(open + 1, close - open - 1), whole), whole);
    item.remove_prefix(close + 1);
  }
  return names;
}

// The end of the item that starts at `begin`: a comma outside brackets, or the text's end.
std::size_t item_end(std::string_view text, std::size_t begin) {
  bool inside = false;
  for (auto i = begin; i < text.size(); ++i) {
    if (text[i] == '[') inside = true;
    if (text[i] == ']') inside = false;
    if (text[i] == ',' && !inside) return i;
  }
  return text.size();
}

}  // namespace

std::vector<std::string> expand_hostlist(std::string_view text) {
  std::vector<std::string> hosts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const auto end = item_end(text, begin);
    for (auto& name : expand_item(text.substr(begin, end - begin), text)) {
      if (name.find(']') != std::string::npos) fail(text, "a bracket is closed twice");
      hosts.push_back(std::move(name));
    }
    if (hosts.size() > max_hosts) fail(text, "it names too many hosts");
    begin = end + 1;
  }
  return hosts;
}

}  // namespace muster
