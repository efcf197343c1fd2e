#include "core/page/read_times.hpp"

#include "core/error.hpp"
#include "core/text/number.hpp"
#include "core/text/take.hpp"

#include <algorithm>
#include <optional>

namespace muster::page {
namespace {

using std::chrono::microseconds;

constexpr std::string_view file_head = "muster times 1";
constexpr std::size_t max_read_phases = 64;
constexpr std::size_t max_text = 255;  // for a node's name; a phase's name is shorter
constexpr microseconds max_time = std::chrono::hours(24 * 366);

[[noreturn]] void refuse() {
  throw Error("it is not in the format that libmuster writes");
}

microseconds time_of(std::string_view text) {
  const auto count = text::number<microseconds::rep>(text);
  if (!count || *count < 0 || microseconds(*count) > max_time) refuse();
  return microseconds(*count);
}

bool is_first(std::string_view word, std::string_view first, std::string_view second) {
  if (word != first && word != second) refuse();
  return word == first;
}

// Parses "1712345 1722345 own ok join".
BootPhase phase_of(std::string_view text) {
  BootPhase phase;
  phase.begin = time_of(text::take(text, ' '));
  phase.end = time_of(text::take(text, ' '));
  phase.waits = is_first(text::take(text, ' '), "all", "own");
  phase.failed = is_first(text::take(text, ' '), "failed", "ok");
  if (phase.end < phase.begin || text.empty()) refuse();
  phase.name = text.substr(0, max_text);
  return phase;
}

}  // namespace

Bootstrap read_times(std::string_view text) {
  text = text.substr(0, text.rfind('\n') + 1);  // empty if there is no complete line
  Bootstrap bootstrap;
  if (text.empty()) return bootstrap;  // the disk was full when it was written
  if (text::take(text, '\n') != file_head) refuse();
  while (!text.empty()) {
    auto line = text::take(text, '\n');
    const auto word = text::take(line, ' ');
    if (word == "transport") bootstrap.transport = line.substr(0, max_text);
    if (word == "node") bootstrap.node = line.substr(0, max_text);
    if (word == "phase" && bootstrap.phases.size() < max_read_phases)
      bootstrap.phases.push_back(phase_of(line));
  }
  return bootstrap;
}

}  // namespace muster::page
