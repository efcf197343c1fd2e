#include "core/report/error_file.hpp"

#include "core/text/number.hpp"
#include "core/text/quote.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <initializer_list>
#include <utility>

#include <nlohmann/json.hpp>

namespace muster::report {
namespace {

using Parsed = nlohmann::json;

constexpr std::size_t max_depth = 64;
constexpr std::size_t max_thread_bytes = 64;
constexpr std::string_view replacement = "\xEF\xBF\xBD";  // U+FFFD

// Extracts the texts that it knows from the file, and keeps them even if the rest is broken.
class Reader : public nlohmann::json_sax<Parsed> {
 public:
  bool null() override { return true; }
  bool boolean(bool /*value*/) override { return true; }
  bool number_integer(number_integer_t /*value*/) override { return true; }
  bool number_unsigned(number_unsigned_t /*value*/) override { return true; }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override { return true; }
  bool binary(binary_t& /*value*/) override { return true; }
  bool string(string_t& value) override;
  bool key(string_t& name) override;
  bool start_object(std::size_t /*size*/) override { return enter(); }
  bool start_array(std::size_t /*size*/) override { return enter(); }
  bool end_object() override { return leave(); }
  bool end_array() override { return leave(); }
  bool parse_error(std::size_t /*at*/, const std::string& /*token*/,
                   const nlohmann::detail::exception& /*error*/) override {
    return false;
  }

  std::optional<std::string> message;
  std::string traceback;
  std::uint32_t process = 0;
  std::string thread;

 private:
  bool enter() {
    if (depth_ == max_depth) return false;
    if (depth_ < path_.size()) path_.at(depth_).clear();
    ++depth_;
    return true;
  }
  bool leave() {
    --depth_;
    return true;
  }
  [[nodiscard]] bool is_at(std::initializer_list<std::string_view> names) const {
    return depth_ == names.size() && std::equal(names.begin(), names.end(), path_.begin());
  }

  std::size_t depth_ = 0;
  std::array<std::string, 3> path_;  // the key at each depth; empty in an array
};

bool Reader::key(string_t& name) {
  if (depth_ <= path_.size()) path_.at(depth_ - 1) = name;
  return true;
}

bool Reader::string(string_t& value) {
  const bool is_message = is_at({"message"}) || is_at({"message", "message"});
  if (is_message && !message) message = std::move(value);
  if (is_at({"message", "extraInfo", "py_callstack"})) traceback = std::move(value);
  if (is_at({"message", "extraInfo", "process"}))
    process = text::number<std::uint32_t>(value).value_or(0);
  if (is_at({"message", "extraInfo", "thread"})) thread = std::move(value);
  return true;
}

// The number in the escape \uNNNN at the beginning of the text.
std::optional<std::uint32_t> escaped_unit(std::string_view text) {
  constexpr std::size_t length = 6;
  if (text.size() < length || !text.starts_with("\\u")) return std::nullopt;
  std::uint32_t unit = 0;
  const auto digits = text.substr(2, length - 2);
  const auto [end, fault] = std::from_chars(digits.begin(), digits.end(), unit, 16);
  if (fault != std::errc{} || end != digits.end()) return std::nullopt;
  return unit;
}

bool is_high(const std::optional<std::uint32_t>& unit) {
  return unit && *unit >= 0xD800 && *unit < 0xDC00;
}

bool is_low(const std::optional<std::uint32_t>& unit) {
  return unit && *unit >= 0xDC00 && *unit < 0xE000;
}

// The length of the escape or character at the beginning of the text; 0 if it is not valid in JSON.
std::size_t length_of_next(std::string_view text) {
  constexpr std::size_t escape = 6;
  if (text.front() != '\\') return text::character_length(text);
  const auto unit = escaped_unit(text);
  if (is_high(unit)) return is_low(escaped_unit(text.substr(escape))) ? 2 * escape : 0;
  if (unit) return is_low(unit) ? 0 : escape;
  return std::min<std::size_t>(text.size(), 2);
}

// Python keeps bytes that are not UTF-8, such as those of a file's name, as half of a surrogate pair, and
// writes it as an escape that no JSON parser accepts.
std::string mended(std::string_view text) {
  constexpr std::size_t escape = 6;
  std::string good;
  good.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = length_of_next(text);
    const std::size_t taken = length != 0 ? length : text.front() == '\\' ? escape : 1;
    good += length != 0 ? text.substr(0, length) : replacement;
    text.remove_prefix(taken);
  }
  return good;
}

std::string beginning(std::string_view text, std::size_t bytes) {
  while (bytes < text.size() && bytes > 0 && !text::starts_character(text[bytes])) --bytes;
  return std::string(text.substr(0, bytes));
}

// Whole lines, if at least one fits.
std::string whole_lines_at_end(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return std::string(text);
  text.remove_prefix(text.size() - bytes);
  const auto line = text.find('\n');
  if (line != std::string_view::npos && line + 1 < text.size()) text.remove_prefix(line + 1);
  while (!text.empty() && !text::starts_character(text.front())) text.remove_prefix(1);
  return std::string(text);
}

}  // namespace

ErrorFile parse_error_file(std::string_view bytes) {
  if (bytes.empty()) return {{}, "its error file is empty"};
  Reader reader;
  const bool whole = Parsed::sax_parse(mended(bytes.substr(0, max_error_file_bytes)), &reader) &&
                     bytes.size() <= max_error_file_bytes;
  if (!reader.message || reader.message->empty()) {
    return {{}, whole ? "its error file has no message" : "its error file is not torch's JSON"};
  }
  Exception exception{beginning(*reader.message, max_message_bytes),
                      whole_lines_at_end(reader.traceback, max_traceback_bytes),
                      {}};
  return {std::move(exception),
          whole ? "" : "the rest of its error file, after the message, is damaged or too long",
          reader.process, beginning(reader.thread, max_thread_bytes)};
}

}  // namespace muster::report
