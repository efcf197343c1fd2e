// A network test between two nodes: the measurements, and the line in which a node reports them. Pure.
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

// Eight-byte messages back and forth, and then a stream in each direction.
struct Measure {
  // Microseconds for a round trip: the slowest of the fastest quarter.
  double latency = 0;
  double mean = 0;  // microseconds, over all messages: includes the cost of lost packets
  std::uint32_t retransmitted = 0;  // packets, counted at both ends during the messages
  double bandwidth = 0;             // bytes per second in the slower direction

  friend bool operator==(const Measure&, const Measure&) = default;
};
template <class Io>
void fields(Io& io, Measure& measure) {
  io(measure.latency, figure)(measure.mean, figure)(measure.retransmitted);
  io(measure.bandwidth, figure);
}

// One test of one pair of nodes.
struct Link {
  NodeIndex from = 0;
  NodeIndex to = 0;
  std::uint32_t round = 0;
  std::optional<Measure> measure = {};  // no value: the test failed
  std::string why = {};                 // why it failed, as one line
};

inline constexpr std::size_t max_report_bytes = 1024;

// Made printable, and truncated between two characters if it is long: libraries may print more than a line.
std::string shortened(std::string_view why);
inline constexpr record::Max shortened_bytes{203};

// What a node reports at the end of a test.
struct TestReport {
  std::uint32_t test = 0;  // its number, as assigned by the supervisor
  double work = 0;         // how much work this node's CPU did per microsecond of its time
  std::optional<Measure> measure = {};  // from the end that connects; no value from the other end
  std::string failure = {};             // empty: none

  friend bool operator==(const TestReport&, const TestReport&) = default;
};
template <class Io>
void fields(Io& io, TestReport& report) {
  io(report.test)(report.work, figure)(report.measure);
  io.through(report.failure, shortened, shortened, shortened_bytes);
}

// Combines the reports of the connecting end and of the other end.
Link tested(Link link, const TestReport& from, const TestReport& to);

std::string to_text(const TestReport& report);

// No value for a text that to_text() cannot have written.
std::optional<TestReport> test_report(std::string_view text);

}  // namespace muster::preflight
