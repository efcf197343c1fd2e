#include "core/dump/message.hpp"

#include "core/error.hpp"
#include "core/record/record.hpp"
#include "core/text/list.hpp"
#include "core/text/number.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

namespace muster::dump {
namespace {

constexpr std::string_view line_head = "muster-dump ";
constexpr std::string_view more = "more";
constexpr std::string_view last = "last";
constexpr std::size_t max_nodes = 65536;

void keep_main(Sample& sample) {
  std::erase_if(sample.threads, [](const Thread& thread) { return !thread.main; });
  if (sample.threads.size() > 1) sample.threads.resize(1);
}

// Up to the next space, which is taken as well.
std::string_view take_word(std::string_view& line) {
  const auto word = line.substr(0, line.find(' '));
  line.remove_prefix(std::min(word.size() + 1, line.size()));
  return word;
}

}  // namespace

std::string to_text(const Message& message) {
  auto text = record::write(message);
  const auto* const look = std::get_if<ProcessLook>(&message);
  if (look == nullptr || text.size() <= max_message_bytes) return text;
  auto shorter = *look;
  keep_main(shorter.first);
  keep_main(shorter.second);
  shorter.recorder.reset();
  return record::write(Message(std::move(shorter)));
}

Message message_of(std::string_view text) {
  auto message = record::read<Message>(text);
  if (!message) throw Error("a node's dump cannot be read");
  return std::move(*message);
}

std::string to_lines(const std::string& node, std::uint32_t number, std::string_view text) {
  std::string lines;
  do {
    const auto head = fmt::format("{}{} {} ", line_head, node, number);
    const auto room = max_line_bytes - head.size() - more.size() - 2;
    const auto part = text.substr(0, room);
    text.remove_prefix(part.size());
    lines += fmt::format("{}{} {}\n", head, text.empty() ? last : more, part);
  } while (!text.empty());
  return lines;
}

void Reader::take(std::string_view output) {
  for (const auto line : text::split(output, '\n')) {
    if (line.starts_with(line_head)) {
      take_line(line.substr(line_head.size()));
    } else if (other_line_.empty() && !line.empty()) {
      other_line_ = line_of(line, max_remark_bytes);
    }
  }
}

void Reader::take_line(std::string_view line) {
  const auto node = std::string(take_word(line));
  const auto number = text::number<std::uint32_t>(take_word(line));
  const auto which = take_word(line);
  const bool known = parts_.contains(node);
  if (node.empty() || node.size() > max_node_bytes || !number || (which != more && which != last) ||
      (!known && parts_.size() >= max_nodes)) {
    return;
  }
  auto& part = parts_[node];
  if (part.number != *number) part = {.number = *number};
  if (part.text.size() + line.size() > max_message_bytes) {
    part.text.clear();
    return;
  }
  part.text += line;
  if (which == last) take_message(node, std::exchange(part.text, {}));
}

// A node speaks for itself alone.
void Reader::take_message(const std::string& node, std::string_view text) {
  try {
    auto message = message_of(text);
    const auto of_node = [&node](const auto& each) { return each.node == node; };
    if (!std::visit(of_node, message)) return;
    if (auto* const look = std::get_if<ProcessLook>(&message)) {
      looks_.processes.push_back(std::move(*look));
    } else if (auto* const remark = std::get_if<NodeRemark>(&message)) {
      looks_.remarks.push_back(std::move(*remark));
    } else if (auto* const line = std::get_if<RasLine>(&message)) {
      if (looks_.ras.size() < max_ras_lines) looks_.ras.push_back(std::move(*line));
    } else {
      looks_.nodes.push_back(node);
    }
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch): what is damaged is left out
  }
}

}  // namespace muster::dump
