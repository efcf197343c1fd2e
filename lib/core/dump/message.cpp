#include "core/dump/message.hpp"

#include "core/error.hpp"
#include "core/text/json.hpp"
#include "core/text/list.hpp"
#include "core/text/number.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace muster::dump {
namespace {

using nlohmann::json;

constexpr std::string_view line_head = "muster-dump ";
constexpr std::string_view more = "more";
constexpr std::string_view last = "last";
constexpr std::size_t max_nodes = 65536;
constexpr int max_message_depth = 6;

[[noreturn]] void refuse(std::string_view what) {
  throw Error(fmt::format("a node's dump {}", what));
}

json frame_json(const Frame& frame) {
  return json::array({frame.function, frame.file, frame.line});
}

json thread_json(const Thread& thread) {
  auto frames = json::array();
  for (const auto& frame : thread.frames) frames.push_back(frame_json(frame));
  return {{"name", thread.name}, {"main", thread.main}, {"frames", std::move(frames)}};
}

json sample_json(const Sample& sample) {
  return {
      {"state", std::string(1, sample.state)}, {"wait", sample.wait}, {"cpu_ms", sample.cpu_ms}};
}

json threads_json(const Sample& sample) {
  auto threads = json::array();
  for (const auto& thread : sample.threads) threads.push_back(thread_json(thread));
  return threads;
}

json to_json(const ProcessLook& look) {
  json object{{"rank", look.rank},
              {"node", look.node},
              {"pid", look.pid},
              {"parent", look.parent},
              {"program", look.program},
              {"first", sample_json(look.first)},
              {"second", sample_json(look.second)},
              {"apart_ms", look.apart_ms},
              {"tool", look.tool},
              {"remark", look.remark}};
  object["first"]["threads"] = threads_json(look.first);
  if (look.second.threads != look.first.threads) {  // of a hang they are the same
    object["second"]["threads"] = threads_json(look.second);
  }
  if (!look.logs.empty()) object["logs"] = look.logs;
  if (look.recorder) object["recorder"] = to_text(*look.recorder);
  return object;
}

json to_json(const NodeRemark& remark) {
  return {{"node", remark.node}, {"line", remark.line}};
}

json to_json(const RasLine& line) {
  return {{"node", line.node}, {"ras", line.ras}};
}

json to_json(const NodeDone& done) {
  return {{"node", done.node}, {"done", true}};
}

void keep_main(Sample& sample) {
  std::erase_if(sample.threads, [](const Thread& thread) { return !thread.main; });
  if (sample.threads.size() > 1) sample.threads.resize(1);
}

const json& at(const json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end()) refuse(fmt::format("lacks its field {}", name));
  return *found;
}

std::string text_at(const json& value, std::size_t max_bytes) {
  if (!value.is_string()) refuse("has no text where one belongs");
  const auto& text = value.get_ref<const std::string&>();
  if (text.size() > max_bytes) refuse("has a text that is too long");
  if (line_of(text, max_bytes) != text) refuse("has a text that is not one printable line");
  return text;
}

template <class Number>
Number number_at(const json& value) {
  if (!value.is_number_unsigned()) refuse("has no number where one belongs");
  const auto number = value.get<std::uint64_t>();
  if (number > std::numeric_limits<Number>::max()) refuse("has a number out of its range");
  return static_cast<Number>(number);
}

const json& list_at(const json& value, std::size_t max_count) {
  if (!value.is_array() || value.size() > max_count) refuse("has no list where one belongs");
  return value;
}

Frame frame_of(const json& value) {
  if (list_at(value, 3).size() != 3) refuse("has a frame of another form");
  return {.function = text_at(value[0], max_function_bytes),
          .file = text_at(value[1], max_file_bytes),
          .line = number_at<std::uint32_t>(value[2])};
}

Thread thread_of(const json& value) {
  if (!value.is_object() || !at(value, "main").is_boolean()) refuse("has no thread there");
  Thread thread{.name = text_at(at(value, "name"), max_name_bytes),
                .main = at(value, "main").get<bool>()};
  for (const auto& frame : list_at(at(value, "frames"), max_frames)) {
    thread.frames.push_back(frame_of(frame));
  }
  return thread;
}

Sample sample_of(const json& value) {
  if (!value.is_object()) refuse("has no look there");
  const auto state = text_at(at(value, "state"), 1);
  if (state.empty()) refuse("has no state");
  Sample sample{.state = state.front(),
                .wait = text_at(at(value, "wait"), max_name_bytes),
                .cpu_ms = number_at<std::uint64_t>(at(value, "cpu_ms"))};
  if (!value.contains("threads")) return sample;
  for (const auto& thread : list_at(value["threads"], max_threads)) {
    sample.threads.push_back(thread_of(thread));
  }
  return sample;
}

ProcessLook look_of(const json& value) {
  ProcessLook look{.rank = number_at<std::uint32_t>(at(value, "rank")),
                   .node = text_at(at(value, "node"), max_node_bytes),
                   .pid = number_at<std::uint32_t>(at(value, "pid")),
                   .parent = number_at<std::uint32_t>(at(value, "parent")),
                   .program = text_at(at(value, "program"), max_name_bytes),
                   .first = sample_of(at(value, "first")),
                   .second = sample_of(at(value, "second")),
                   .apart_ms = number_at<std::uint32_t>(at(value, "apart_ms")),
                   .tool = text_at(at(value, "tool"), max_name_bytes),
                   .remark = text_at(at(value, "remark"), max_remark_bytes)};
  if (!value["second"].contains("threads")) look.second.threads = look.first.threads;
  if (value.contains("recorder")) {
    look.recorder = recorder_of(text_at(value["recorder"], max_recorder_bytes));
  }
  if (value.contains("logs")) look.logs = text_at(value["logs"], max_folder_bytes);
  return look;
}

// Up to the next space, which is taken as well.
std::string_view take_word(std::string_view& line) {
  const auto word = line.substr(0, line.find(' '));
  line.remove_prefix(std::min(word.size() + 1, line.size()));
  return word;
}

}  // namespace

std::string to_text(const Message& message) {
  const auto write = [](const auto& each) { return text::compact_text(to_json(each)); };
  auto text = std::visit(write, message);
  const auto* const look = std::get_if<ProcessLook>(&message);
  if (look == nullptr || text.size() <= max_message_bytes) return text;
  auto shorter = *look;
  keep_main(shorter.first);
  keep_main(shorter.second);
  shorter.recorder.reset();
  return write(shorter);
}

Message message_of(std::string_view text) {
  if (text.size() > max_message_bytes) refuse("is too long");
  const auto seen = [](int depth, json::parse_event_t /*event*/, json& /*parsed*/) {
    if (depth > max_message_depth) refuse("is nested too deeply");
    return true;
  };
  json value;
  try {
    value = text::parse_json(text, seen);
  } catch (const json::exception&) {
    refuse("is no JSON");
  }
  if (!value.is_object()) refuse("is no JSON object");
  if (value.contains("rank")) return look_of(value);
  auto node = text_at(at(value, "node"), max_node_bytes);
  if (value.contains("done")) return NodeDone{std::move(node)};
  if (value.contains("ras")) {
    return RasLine{std::move(node), text_at(value["ras"], max_remark_bytes)};
  }
  return NodeRemark{std::move(node), text_at(at(value, "line"), max_remark_bytes)};
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
