#include "core/restart/handover.hpp"

#include "core/error.hpp"
#include "core/record/record.hpp"
#include "core/text/number.hpp"

#include <fmt/format.h>

namespace muster::restart {

std::string to_bytes(const Handover& handover) {
  return record::write(handover);
}

std::optional<Handover> handover_from(std::string_view bytes) {
  return bytes.size() <= max_handover_bytes ? record::read<Handover>(bytes) : std::nullopt;
}

std::string beat_message() {
  return {beat_letter, '\n'};
}

std::string end_message() {
  return {end_letter, '\n'};
}

std::string handover_message(const Handover& handover) {
  const auto bytes = to_bytes(handover);
  return fmt::format("{}{}\n{}", handover_letter, bytes.size(), bytes);
}

std::optional<MessageReader::Message> MessageReader::next() {
  constexpr std::size_t max_line = 32;
  const auto line_end = buffer_.find('\n');
  if (line_end == std::string::npos) {
    if (buffer_.size() > max_line) throw Error("cannot parse the supervisor's message");
    return std::nullopt;
  }
  const auto line = std::string_view(buffer_).substr(0, line_end);
  Message message{line.empty() ? '\0' : line.front(), {}};
  std::size_t length = 0;
  if (message.kind == handover_letter) {
    length = text::number<std::size_t>(line.substr(1)).value_or(max_handover_bytes + 1);
  } else if (line != std::string_view(&beat_letter, 1) &&
             line != std::string_view(&end_letter, 1)) {
    message.kind = 0;
  }
  if (message.kind == 0 || length > max_handover_bytes) {
    throw Error("cannot parse the supervisor's message");
  }
  if (buffer_.size() - line_end - 1 < length) return std::nullopt;
  message.bytes = buffer_.substr(line_end + 1, length);
  buffer_.erase(0, line_end + 1 + length);
  return message;
}

}  // namespace muster::restart
