#include "launcher/agent/ranks/native_frame.hpp"

#include "core/report/rank_prefix.hpp"

#include <algorithm>

namespace muster::ranks {
namespace {

constexpr std::string_view digits = "0123456789";

std::string_view without_spaces(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return text;
}

std::string_view without_digits(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(digits), text.size()));
  return text;
}

// torch: "frame #4: c10d::ProcessGroupNCCL::ncclCommWatchdog() + 0x10f (0x7ff9 in libtorch_cuda.so)".
bool is_numbered_frame(std::string_view line) {
  constexpr std::string_view begin = "frame #";
  if (!line.starts_with(begin)) return false;
  const auto number = line.substr(begin.size());
  const auto rest = without_digits(number);
  return rest.size() < number.size() && rest.starts_with(':');
}

// glog and Abseil: "@ 0x7fc9 abort"; UCX: "0 0x0000 ucs_debug_print_backtrace()"; gdb: "#0  0x7fc9 in raise
// ()".
bool is_address_frame(std::string_view line) {
  const auto rest = line.starts_with('@')   ? line.substr(1)
                    : line.starts_with('#') ? without_digits(line.substr(1))
                                            : without_digits(line);
  return rest.starts_with(' ') && rest.size() < line.size() &&
         without_spaces(rest).starts_with("0x");
}

// torch with symbols: "#5 c10::Error::Error(c10::SourceLocation, std::string) from ??:0".
bool is_symbol_frame(std::string_view line) {
  if (!line.starts_with('#')) return false;
  const auto rest = without_digits(line.substr(1));
  if (rest.size() + 1 == line.size() || !rest.starts_with(' ')) return false;
  const auto from = rest.rfind(" from ");
  const auto colon = rest.rfind(':');
  return from != std::string_view::npos && colon != std::string_view::npos && colon > from &&
         colon + 1 < rest.size() && without_digits(rest.substr(colon + 1)).empty();
}

bool is_heading(std::string_view line) {
  return line == "C++ CapturedTraceback:" || (line.starts_with("Exception raised from ") &&
                                              line.ends_with(" (most recent call first):"));
}

}  // namespace

bool is_native_frame(std::string_view line) {
  line = without_spaces(report::without_rank(line));
  return is_numbered_frame(line) || is_address_frame(line) || is_symbol_frame(line) ||
         is_heading(line);
}

}  // namespace muster::ranks
