#include "launcher/supervisor/successor/inheritance.hpp"

#include "core/error.hpp"
#include "core/record/record.hpp"
#include "core/text/number.hpp"

#include <fmt/format.h>

namespace muster::successor {

std::string to_bytes(const Inheritance& inheritance) {
  return record::write(inheritance);
}

std::optional<Inheritance> inheritance_from(std::string_view bytes) {
  return bytes.size() <= max_bytes ? record::read<Inheritance>(bytes) : std::nullopt;
}

std::string beat_message() {
  return {beat, '\n'};
}

std::string end_message() {
  return {ends, '\n'};
}

std::string inheritance_message(const Inheritance& inheritance) {
  const auto bytes = to_bytes(inheritance);
  return fmt::format("{}{}\n{}", inherits, bytes.size(), bytes);
}

std::optional<Reader::Message> Reader::next() {
  constexpr std::size_t max_line = 32;
  const auto line_end = buffer_.find('\n');
  if (line_end == std::string::npos) {
    if (buffer_.size() > max_line) throw Error("the supervisor's words cannot be understood");
    return std::nullopt;
  }
  const auto line = std::string_view(buffer_).substr(0, line_end);
  Message message{line.empty() ? '\0' : line.front(), {}};
  std::size_t length = 0;
  if (message.kind == inherits) {
    length = text::number<std::size_t>(line.substr(1)).value_or(max_bytes + 1);
  } else if (line != std::string_view(&beat, 1) && line != std::string_view(&ends, 1)) {
    message.kind = 0;
  }
  if (message.kind == 0 || length > max_bytes) {
    throw Error("the supervisor's words cannot be understood");
  }
  if (buffer_.size() - line_end - 1 < length) return std::nullopt;
  message.bytes = buffer_.substr(line_end + 1, length);
  buffer_.erase(0, line_end + 1 + length);
  return message;
}

}  // namespace muster::successor
