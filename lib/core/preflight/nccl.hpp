// Tests NCCL between the nodes of a preflight: what a node reports about its GPU and each test, and the
// verdict. Like the network's tests, these are compared with the median of all tests. A test that did not
// finish in time counts only if the others finished long before; otherwise the limit was too short for all of
// them. Pure.
#pragma once

#include "core/preflight/judge.hpp"
#include "core/preflight/local.hpp"
#include "core/record/limits.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace muster::preflight {

inline constexpr record::Range nccl_time{0.0, 1e9};  // milliseconds

// The state of a node's GPU and NCCL at the start.
struct NcclStart {
  enum class State : std::uint8_t {
    left_out,  // nothing is wrong, but there is nothing to test
    late,      // no answer within the limit
    failed,
    ready,
  };
  State state = State::left_out;
  double time = 0;            // milliseconds
  std::uint32_t version = 0;  // NCCL's version if the node is ready: 22809
  std::uint16_t port = 0;     // if the node is ready: the port where the other nodes find it
  std::string why = {};       // otherwise the reason, as one line

  friend bool operator==(const NcclStart&, const NcclStart&) = default;
};
template <class Io>
void fields(Io& io, NcclStart& start) {
  using State = NcclStart::State;
  io(start.state, record::Range{State::left_out, State::ready})(start.time, nccl_time);
  io(start.version)(start.port).through(start.why, shortened, shortened, shortened_bytes);
  io.require(start.state == State::ready ? start.port != 0 : !start.why.empty());
}

// What a node reports at the end of a test.
struct NcclReport {
  double time = 0;    // milliseconds for the whole test
  bool late = false;  // it did not finish within the limit
  TestReport report = {};

  friend bool operator==(const NcclReport&, const NcclReport&) = default;
};
template <class Io>
void fields(Io& io, NcclReport& report) {
  io(report.time, nccl_time)(report.late)(report.report);
}

std::string to_text(const NcclStart& start);
std::string to_text(const NcclReport& report);

// No value for a text that to_text() cannot have written.
std::optional<NcclStart> nccl_start(std::string_view text);
std::optional<NcclReport> nccl_report(std::string_view text);

struct NcclTest {
  Link link = {};
  double time = 0;
  bool late = false;
};

// Joins the reports of a test's two ends. The first of two failures caused the other.
NcclTest nccl_test(Link link, const NcclReport& from, const NcclReport& to, double limit);

struct NcclSeen {
  std::vector<bool> has_gpu = {};                     // indexed by node
  std::vector<std::optional<NcclStart>> starts = {};  // indexed by node, for those that were asked
  std::vector<NcclTest> tests = {};
  std::uint32_t rounds = 0;
  double start_limit = 0;  // milliseconds
  double test_limit = 0;
  std::string failure = {};  // why no node was asked, although there are GPUs
};

// The nodes that can be tested with one another: those that are ready and have the same NCCL version as most
// of them.
std::vector<NodeIndex> nccl_nodes(std::span<const std::optional<NcclStart>> starts);

// The tests that have a result.
std::vector<Link> nccl_links(const NcclSeen& seen);

// Indexed by node: what NCCL's start and tests say about it.
std::vector<std::vector<Finding>> nccl_findings(const NcclSeen& seen,
                                                std::span<const std::string> nodes);

// For `verbose`: what was measured, and which nodes were left out, with the reason.
std::vector<std::string> nccl_lines(const NcclSeen& seen, std::span<const std::string> nodes);

}  // namespace muster::preflight
