// A test of the network between two nodes: what was measured, and the line in which a node says it. Pure.
#pragma once

#include "core/layout/ids.hpp"
#include "core/record/limits.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace muster::preflight {

using layout::NodeIndex;

inline constexpr record::Range figure{0.0, 1e15};

// Messages of eight bytes to and fro, and then a stream each way.
struct Measure {
  // Microseconds for a message to and fro: of the fastest quarter the slowest.
  double latency = 0;
  double mean = 0;                  // likewise, of all: what one lost packet costs is in it
  std::uint32_t retransmitted = 0;  // packets, by both ends, while the messages went to and fro
  double bandwidth = 0;             // bytes in a second, of the slower way

  friend bool operator==(const Measure&, const Measure&) = default;
};
template <class Io>
void fields(Io& io, Measure& measure) {
  io(measure.latency, figure)(measure.mean, figure)(measure.retransmitted);
  io(measure.bandwidth, figure);
}

// One test of one pair.
struct Link {
  NodeIndex from = 0;
  NodeIndex to = 0;
  std::uint32_t round = 0;
  std::optional<Measure> measure = {};  // nothing: it failed
  std::string why = {};                 // then, one line
};

inline constexpr std::size_t max_report_bytes = 1024;

// Printable, and cut between two characters where it is long: libraries say more than a line.
std::string shortened(std::string_view why);
inline constexpr record::Max shortened_bytes{203};

// What a node says at the end of a test.
struct TestReport {
  std::uint32_t test = 0;               // its number, as the supervisor gave it
  double work = 0;                      // what this node's CPU does in a microsecond of its time
  std::optional<Measure> measure = {};  // from the end that connects; nothing from the other
  std::string failure = {};             // empty: none

  friend bool operator==(const TestReport&, const TestReport&) = default;
};
template <class Io>
void fields(Io& io, TestReport& report) {
  io(report.test)(report.work, figure)(report.measure);
  io.through(report.failure, shortened, shortened, shortened_bytes);
}

// What the end that connects and the other one have said of it.
Link tested(Link link, const TestReport& from, const TestReport& to);

std::string to_text(const TestReport& report);

// Nothing for what to_text() cannot have written.
std::optional<TestReport> test_report(std::string_view text);

}  // namespace muster::preflight
