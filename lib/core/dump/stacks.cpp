#include "core/dump/stacks.hpp"

#include "core/error.hpp"
#include "core/text/json.hpp"
#include "core/text/list.hpp"
#include "core/text/number.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace muster::dump {
namespace {

using nlohmann::json;

constexpr int max_stacks_depth = 8;
constexpr std::string_view main_name = "MainThread";
constexpr std::string_view faulthandler_end = " (most recent call first):";

std::string text_field(const json& object, const char* name, std::size_t max_bytes) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_string()) return {};
  return line_of(found->get_ref<const std::string&>(), max_bytes);
}

std::uint32_t line_field(const json& object) {
  const auto found = object.find("line");
  if (found == object.end() || !found->is_number_unsigned()) return 0;
  const auto line = found->get<std::uint64_t>();
  return line <= UINT32_MAX ? static_cast<std::uint32_t>(line) : 0;
}

std::vector<Frame> frames_of(const json& thread) {
  std::vector<Frame> frames;
  const auto found = thread.find("frames");
  if (found == thread.end() || !found->is_array()) return frames;
  for (const auto& frame : *found) {
    if (frames.size() >= max_frames) break;
    if (!frame.is_object()) continue;
    auto function = text_field(frame, "name", max_function_bytes);
    if (function.starts_with("0x")) function = "?";  // an address, which differs from rank to rank
    frames.push_back({.function = std::move(function),
                      .file = text_field(frame, "filename", max_file_bytes),
                      .line = line_field(frame)});
  }
  return frames;
}

// Null if it is not JSON. `whose`: for an Error about it.
json parsed(std::string_view text, std::string_view whose) {
  const auto seen = [whose](int depth, json::parse_event_t /*event*/, json& /*parsed*/) {
    if (depth > max_stacks_depth) throw Error(fmt::format("{} is nested too deeply", whose));
    return true;
  };
  try {
    return text::parse_json(text, seen);
  } catch (const json::exception&) {
    return nullptr;
  }
}

json parsed_list(std::string_view text) {
  auto list = parsed(text, "py-spy's answer");
  if (list.is_array()) return list;
  throw Error("py-spy's answer is not the JSON list that `py-spy dump --json` prints");
}

// The thread of muster's package that answers `muster dump` is not the program's.
bool is_packages_own(const Thread& thread) {
  return !thread.frames.empty() && thread.frames.back().function == "_serve" &&
         (thread.frames.back().file.ends_with("muster/_recorder.py") ||
          thread.frames.back().file.ends_with("muster/start/_recorder.py"));
}

// `otherwise`: which thread is the main one if none has its name.
void mark_main(std::vector<Thread>& threads, Thread* otherwise) {
  const auto named =
      std::ranges::find_if(threads, [](const Thread& thread) { return thread.name == main_name; });
  if (named != threads.end()) {
    named->main = true;
  } else if (otherwise != nullptr) {
    otherwise->main = true;
  }
}

// A "[" at the beginning of a line.
std::string_view without_warnings(std::string_view text) {
  if (text.starts_with('[')) return text;
  const auto begin = text.find("\n[");
  return begin == std::string_view::npos ? text : text.substr(begin + 1);
}

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\r");
  return begin == std::string_view::npos ? std::string_view() : text.substr(begin);
}

// Parses `  File "/a/b.py", line 12 in main`.
std::optional<Frame> python_frame(std::string_view line) {
  constexpr std::string_view head = "File \"";
  constexpr std::string_view before_line = "\", line ";
  constexpr std::string_view before_function = " in ";
  line = trimmed(line);
  if (!line.starts_with(head)) return std::nullopt;
  line.remove_prefix(head.size());
  const auto file_end = line.find(before_line);
  if (file_end == std::string_view::npos) return std::nullopt;
  const auto rest = line.substr(file_end + before_line.size());
  const auto number_end = std::min(rest.find(before_function), rest.size());
  const bool has_function = number_end < rest.size();
  return Frame{.function = has_function ? line_of(rest.substr(number_end + before_function.size()),
                                                  max_function_bytes)
                                        : std::string("?"),
               .file = line_of(line.substr(0, file_end), max_file_bytes),
               .line = text::number<std::uint32_t>(rest.substr(0, number_end)).value_or(0)};
}

// Parses `#3  0x00007f in read () from /lib/libc.so.6`, `#4 main (argc=1) at a.c:7`, `#0  0x00007f poll`.
std::optional<Frame> native_frame(std::string_view line) {
  if (!line.starts_with('#')) return std::nullopt;
  line.remove_prefix(std::min(line.find_first_of(" \t"), line.size()));
  line = trimmed(line);
  if (line.starts_with("0x")) line = trimmed(line.substr(std::min(line.find(' '), line.size())));
  if (line.starts_with("in ")) line.remove_prefix(3);
  if (line.starts_with("- ")) line = trimmed(line.substr(std::min(line.find(' ', 2), line.size())));
  if (line.empty()) return std::nullopt;
  Frame frame;
  const auto arguments = line.find(" (");
  frame.function = line_of(line.substr(0, arguments), max_function_bytes);
  if (frame.function == "??") frame.function = "?";
  if (const auto from = line.rfind(" from "); from != std::string_view::npos) {
    frame.file = line_of(line.substr(from + 6), max_file_bytes);
  } else if (const auto at = line.rfind(" at "); at != std::string_view::npos) {
    const auto place = line.substr(at + 4);
    const auto colon = place.rfind(':');
    const auto number = colon == std::string_view::npos
                            ? std::nullopt
                            : text::number<std::uint32_t>(place.substr(colon + 1));
    frame.file = line_of(number ? place.substr(0, colon) : place, max_file_bytes);
    frame.line = number.value_or(0);
  }
  return frame;
}

// gdb's "Thread 2 (Thread 0x7f (LWP 123) "name"):" or eu-stack's "TID 123:"; returns the thread's ID.
std::optional<std::uint32_t> native_thread(std::string_view line) {
  const auto number_behind = [line](std::string_view word) -> std::optional<std::uint32_t> {
    const auto at = line.find(word);
    if (at == std::string_view::npos) return std::nullopt;
    const auto rest = line.substr(at + word.size());
    return text::number<std::uint32_t>(
        rest.substr(0, std::min(rest.find_first_not_of("0123456789"), rest.size())));
  };
  if (line.starts_with("TID ")) return number_behind("TID ");
  if (!line.starts_with("Thread ")) return std::nullopt;
  if (const auto lwp = number_behind("(LWP ")) return lwp;
  return number_behind("process ").value_or(0);
}

void add_frame(std::vector<Thread>& threads, std::optional<Frame> frame) {
  if (frame && !threads.empty() && threads.back().frames.size() < max_frames) {
    threads.back().frames.push_back(std::move(*frame));
  }
}

}  // namespace

std::vector<Thread> stacks_of_py_spy(std::string_view text) {
  std::vector<Thread> threads;
  for (const auto& thread : parsed_list(without_warnings(text))) {
    if (threads.size() >= max_threads) break;
    if (!thread.is_object()) continue;
    threads.push_back(
        {.name = text_field(thread, "thread_name", max_name_bytes), .frames = frames_of(thread)});
    if (is_packages_own(threads.back())) threads.pop_back();
  }
  mark_main(threads, threads.empty() ? nullptr : &threads.front());
  return threads;
}

std::vector<Thread> stacks_of_faulthandler(std::string_view text) {
  std::vector<Thread> threads;
  for (auto line : text::split(text, '\n')) {
    if (line.ends_with(faulthandler_end)) {
      if (threads.size() >= max_threads) threads.erase(threads.begin());
      line.remove_suffix(faulthandler_end.size());
      threads.push_back({.name = line_of(line, max_name_bytes)});
    } else {
      add_frame(threads, python_frame(line));
    }
  }
  if (!threads.empty()) threads.back().main = true;
  return threads;
}

std::vector<Thread> stacks_of_package(std::string_view text) {
  const auto answer = parsed(text, "the answer from muster's Python package");
  if (!answer.is_object()) throw Error("muster's Python package did not answer with a JSON object");
  if (answer.contains("error")) {
    throw Error("muster's Python package: " + text_field(answer, "error", max_remark_bytes / 2));
  }
  const auto listed = answer.find("threads");
  if (listed == answer.end() || !listed->is_array())
    throw Error("the answer from muster's Python package has no list of threads");
  std::vector<Thread> threads;
  for (const auto& thread : *listed) {
    if (!thread.is_object()) continue;
    const auto frames = thread.find("frames");
    if (frames == thread.end() || !frames->is_string()) continue;
    if (threads.size() >= max_threads) threads.erase(threads.begin());
    threads.push_back({.name = text_field(thread, "name", max_name_bytes)});
    for (const auto line : text::split(frames->get_ref<const std::string&>(), '\n'))
      add_frame(threads, python_frame(line));
  }
  mark_main(threads, threads.empty() ? nullptr : &threads.back());
  return threads;
}

std::vector<Thread> stacks_of_debugger(std::string_view text, std::uint32_t pid) {
  std::vector<Thread> threads;
  for (const auto line : text::split(text, '\n')) {
    if (const auto id = native_thread(line)) {
      if (threads.size() >= max_threads && !threads.back().main) threads.pop_back();
      if (threads.size() >= max_threads) break;
      threads.push_back({.name = fmt::format("thread {}", *id), .main = *id == pid});
    } else {
      add_frame(threads, native_frame(line));
    }
  }
  std::erase_if(threads, [](const Thread& thread) { return thread.frames.empty(); });
  const bool has_main = std::ranges::any_of(threads, &Thread::main);
  if (!threads.empty() && !has_main) threads.back().main = true;
  return threads;
}

}  // namespace muster::dump
