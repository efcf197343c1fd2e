#include "core/dump/message.hpp"

#include "core/error.hpp"
#include "core/record/record.hpp"
#include "core/slurm/node_answers.hpp"

#include <utility>
#include <vector>

namespace muster::dump {
namespace {

void keep_main(Sample& sample) {
  std::erase_if(sample.threads, [](const Thread& thread) { return !thread.main; });
  if (sample.threads.size() > 1) sample.threads.resize(1);
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

void Reader::take(std::string_view output) {
  const auto other = slurm::read_node_answers(
      output, max_message_bytes,
      [this](const std::string& node, std::string_view text) { take_message(node, text); });
  if (other_line_.empty()) other_line_ = line_of(other, max_remark_bytes);
}

// A node can speak only for itself.
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
