// A test of the network between two nodes: the measurements, and the line in which a node reports them. Pure.
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
  // Microseconds for a round trip: the slowest of the fastest quarter.
  double latency = 0;
  double mean = 0;                  // microseconds, of all: includes the cost of a lost packet
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

// Printable, and cut between two characters if it is long: libraries print more than a line.
std::string shortened(std::string_view why);
inline constexpr record::Max shortened_bytes{203};

// What a node reports at the end of a test.
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

// Joins the reports of the end that connects and of the other one.
Link tested(Link link, const TestReport& from, const TestReport& to);

std::string to_text(const TestReport& report);

// Nothing for what to_text() cannot have written.
std::optional<TestReport> test_report(std::string_view text);

}  // namespace muster::preflight
