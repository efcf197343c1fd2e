#include "launcher/supervisor/successor/inheritance.hpp"

#include "core/error.hpp"
#include "core/text/number.hpp"

#include <stdexcept>

#include <fmt/format.h>

namespace muster::successor {
namespace {

using std::chrono::milliseconds;

constexpr std::string_view version = "2";

// Each value ends with a zero byte, which none of them can have. JSON could not hold every word and variable,
// and lib/wire is for two processes of one node.
class Writer {
 public:
  void add(std::string_view value) {
    bytes_ += value;
    bytes_ += '\0';
  }
  void add(std::uint64_t value) { add(std::string_view(fmt::to_string(value))); }
  void add(const std::vector<std::string>& values) {
    add(values.size());
    for (const auto& value : values) add(std::string_view(value));
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// Throws std::out_of_range where the bytes end too soon, or are no number.
class Parser {
 public:
  explicit Parser(std::string_view bytes) : rest_(bytes) {}

  std::string text() {
    const auto end = rest_.find('\0');
    if (end == std::string_view::npos) throw std::out_of_range("cut off");
    std::string value(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    return value;
  }
  template <class Number>
  Number number() {
    const auto value = text::number<Number>(text());
    if (!value) throw std::out_of_range("no number");
    return *value;
  }
  std::vector<std::string> list() {
    const auto count = number<std::size_t>();
    if (count > rest_.size()) throw std::out_of_range("more values than bytes");
    std::vector<std::string> values;
    for (std::size_t i = 0; i < count; ++i) values.push_back(text());
    return values;
  }
  milliseconds time() {
    constexpr std::uint32_t day = 86'400'000;
    const auto count = number<std::uint32_t>();
    if (count > day) throw std::out_of_range("too long");
    return milliseconds(count);
  }
  [[nodiscard]] bool done() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

Inheritance parse(Parser& parser) {
  if (parser.text() != version) throw std::out_of_range("another version");
  Inheritance made;
  made.generation = parser.number<restart::Generation>();
  made.host = parser.text();
  made.supervisor_step = parser.text();
  made.directory = parser.text();
  made.command = parser.list();
  made.environment = parser.list();
  made.heartbeat = parser.time();
  made.attempts = parser.text();
  made.allocated = parser.number<std::uint32_t>();
  made.nodes = parser.list();
  made.tasks_per_node = parser.number<std::uint32_t>();
  made.lost = parser.list();
  made.line = parser.number<std::uint32_t>();
  made.silence = parser.time();
  made.heir_node = parser.text();
  made.heir_step = parser.text();
  if (!parser.done() || made.command.empty()) throw std::out_of_range("not whole");
  return made;
}

}  // namespace

std::string to_bytes(const Inheritance& inheritance) {
  Writer writer;
  writer.add(version);
  writer.add(std::uint64_t{inheritance.generation});
  writer.add(std::string_view(inheritance.host));
  writer.add(std::string_view(inheritance.supervisor_step));
  writer.add(std::string_view(inheritance.directory));
  writer.add(inheritance.command);
  writer.add(inheritance.environment);
  writer.add(static_cast<std::uint64_t>(inheritance.heartbeat.count()));
  writer.add(std::string_view(inheritance.attempts));
  writer.add(std::uint64_t{inheritance.allocated});
  writer.add(inheritance.nodes);
  writer.add(std::uint64_t{inheritance.tasks_per_node});
  writer.add(inheritance.lost);
  writer.add(std::uint64_t{inheritance.line});
  writer.add(static_cast<std::uint64_t>(inheritance.silence.count()));
  writer.add(std::string_view(inheritance.heir_node));
  writer.add(std::string_view(inheritance.heir_step));
  return writer.take();
}

std::optional<Inheritance> inheritance_from(std::string_view bytes) {
  if (bytes.size() > max_bytes) return std::nullopt;
  try {
    Parser parser(bytes);
    return parse(parser);
  } catch (const std::out_of_range&) {
    return std::nullopt;
  }
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
