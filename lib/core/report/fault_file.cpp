#include "core/report/fault_file.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace muster::report {
namespace {

constexpr std::string_view dump_start = "Fatal Python error: ";
constexpr std::array stack_starts{std::string_view("Current thread 0x"),
                                  std::string_view("Stack (most recent call first)")};
constexpr std::size_t max_frames = 100;  // the same limit as in faulthandler itself

std::string_view take_line(std::string_view& rest) {
  const auto line = rest.substr(0, rest.find('\n'));
  rest.remove_prefix(std::min(line.size() + 1, rest.size()));
  return line;
}

// Starts at the last line that begins a dump.
std::string_view last_dump(std::string_view bytes) {
  std::string_view last;
  while (!bytes.empty()) {
    const auto from_here = bytes;
    if (take_line(bytes).starts_with(dump_start)) last = from_here;
  }
  return last;
}

bool starts_stack(std::string_view line) {
  return std::ranges::any_of(stack_starts,
                             [line](std::string_view start) { return line.starts_with(start); });
}

// The stack of the thread that the signal hit, innermost call first.
std::vector<std::string_view> frames_of(std::string_view dump) {
  while (!dump.empty() && !starts_stack(take_line(dump))) {
  }
  std::vector<std::string_view> frames;
  while (frames.size() < max_frames) {
    const auto frame = take_line(dump);
    if (!frame.starts_with("  ")) break;
    frames.push_back(frame);
  }
  return frames;
}

}  // namespace

std::optional<Exception> parse_fault_file(std::string_view bytes) {
  auto dump = last_dump(bytes);
  if (dump.empty()) return std::nullopt;
  Exception fault{.message = std::string(take_line(dump).substr(0, max_message_bytes)),
                  .traceback = {},
                  .time = {},
                  .of_signal = true};
  const auto frames = frames_of(dump);
  for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
    fault.traceback.append(*frame).append("\n");
  }
  if (!frames.empty()) fault.traceback.insert(0, "Traceback (most recent call last):\n");
  if (fault.traceback.size() > max_traceback_bytes) {
    fault.traceback.erase(0, fault.traceback.size() - max_traceback_bytes);
  }
  return fault;
}

}  // namespace muster::report
