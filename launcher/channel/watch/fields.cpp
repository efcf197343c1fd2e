#include "launcher/channel/watch/fields.hpp"

#include "core/error.hpp"
#include "core/text/quote.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace muster::watch {
namespace {

using nlohmann::json;

constexpr int max_depth = 4;
constexpr std::uint32_t max_number = std::numeric_limits<std::uint32_t>::max();

[[noreturn]] void refuse(std::string_view what) {
  throw Error(fmt::format("a watch's message {}", what));
}

bool continues_a_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}

std::string as_utf8(const std::string& text) {
  if (text::is_utf8(text)) return text;
  return text::parse_json(text::compact_text(json(text))).get<std::string>();
}

bool is_control(char byte) {
  const auto code = static_cast<unsigned char>(byte);
  return code < 0x20 || code == 0x7F;
}

}  // namespace

std::string first_bytes(const std::string& text, std::size_t max_bytes) {
  auto valid = as_utf8(text.substr(0, max_bytes));
  auto size = std::min(valid.size(), max_bytes);
  while (size < valid.size() && size > 0 && continues_a_character(valid[size])) --size;
  valid.resize(size);
  return valid;
}

std::string last_bytes(const std::string& text, std::size_t max_bytes) {
  const auto valid = as_utf8(text.substr(text.size() - std::min(text.size(), max_bytes)));
  auto begin = valid.size() - std::min(valid.size(), max_bytes);
  while (begin < valid.size() && begin > 0 && continues_a_character(valid[begin])) ++begin;
  return valid.substr(begin);
}

std::string one_line(const std::string& text, std::size_t max_bytes) {
  auto line = first_bytes(text, max_bytes);
  std::replace_if(line.begin(), line.end(), is_control, ' ');
  return line;
}

Fields Fields::parse(std::string_view text, std::size_t max_bytes) {
  if (text.size() > max_bytes) refuse("is too long");
  const auto seen = [](int depth, json::parse_event_t /*event*/, json& /*parsed*/) {
    if (depth > max_depth) refuse("is nested too deeply");
    return true;
  };
  try {
    auto parsed = text::parse_json(text, seen);
    if (parsed.is_object()) return Fields(std::move(parsed));
  } catch (const json::exception&) {
  }
  refuse("is not a JSON object");
}

const json& Fields::at(const char* name) const {
  const auto found = json_.find(name);
  if (found == json_.end()) refuse(fmt::format("lacks its field {}", name));
  return *found;
}

const json& Fields::array(const char* name, std::size_t max_count) const {
  const auto& value = at(name);
  if (!value.is_array() || value.size() > max_count) refuse("has no list where one belongs");
  return value;
}

std::int64_t Fields::integer(const json& value, std::int64_t least, std::int64_t most) {
  if (!value.is_number_integer()) refuse("has no number where one belongs");
  const bool small = !value.is_number_unsigned() ||
                     value.get<std::uint64_t>() <= std::numeric_limits<std::int64_t>::max();
  const auto number = value.get<std::int64_t>();
  if (!small || number < least || number > most) refuse("has a number out of its range");
  return number;
}

std::string Fields::text_of(const json& value, std::size_t max_bytes) {
  if (!value.is_string()) refuse("has no text where one belongs");
  const auto& text = value.get_ref<const std::string&>();
  if (text.size() > max_bytes) refuse("has a text that is too long");
  return text;
}

bool Fields::flag(const char* name) const {
  if (!has(name)) return false;
  if (!at(name).is_boolean()) refuse("has no flag where one belongs");
  return at(name).get<bool>();
}

Fields Fields::object(const char* name) const {
  const auto& value = at(name);
  if (!value.is_object()) refuse("has no object where one belongs");
  return Fields(value);
}

std::string Fields::text(const char* name, std::size_t max_bytes) const {
  return text_of(at(name), max_bytes);
}

std::string Fields::line(const char* name, std::size_t max_bytes) const {
  auto line = text(name, max_bytes);
  if (std::any_of(line.begin(), line.end(), is_control)) refuse("has a text of several lines");
  return line;
}

std::vector<std::string> Fields::texts(const char* name, std::size_t max_count,
                                       std::size_t max_bytes) const {
  std::vector<std::string> texts;
  for (const auto& value : array(name, max_count)) texts.push_back(text_of(value, max_bytes));
  return texts;
}

std::chrono::nanoseconds Fields::time(const char* name) const {
  constexpr auto most = std::chrono::nanoseconds(max_time).count();
  return std::chrono::nanoseconds(integer(at(name), -most, most));
}

report::Moment Fields::moment(const char* name) const {
  constexpr auto most = std::chrono::nanoseconds(max_time).count();
  const auto& value = array(name, 2);
  if (value.size() != 2) refuse("has no moment where one belongs");
  return {.time = std::chrono::nanoseconds(integer(value[0], -most, most)),
          .error = std::chrono::nanoseconds(integer(value[1], 0, most))};
}

report::RankPlace Fields::place_of(const json& value) {
  if (!value.is_array() || value.size() != 3) refuse("has no rank where one belongs");
  const auto number = [&](std::size_t index) {
    return static_cast<std::uint32_t>(integer(value[index], 0, max_number));
  };
  return {.rank = number(0), .local_rank = number(1), .pid = number(2)};
}

report::RankPlace Fields::place(const char* name) const {
  return place_of(at(name));
}

std::vector<report::RankPlace> Fields::places(const char* name) const {
  std::vector<report::RankPlace> places;
  for (const auto& value : array(name, max_ranks_of_node)) places.push_back(place_of(value));
  return places;
}

std::vector<std::uint32_t> Fields::numbers(const char* name) const {
  std::vector<std::uint32_t> numbers;
  for (const auto& value : array(name, max_ranks_of_node)) {
    numbers.push_back(static_cast<std::uint32_t>(integer(value, 0, max_number)));
  }
  return numbers;
}

}  // namespace muster::watch
