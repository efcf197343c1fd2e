#include "core/preflight/nccl.hpp"

#include "core/preflight/median.hpp"
#include "core/record/record.hpp"
#include "core/slurm/hostlist.hpp"
#include "core/text/amounts.hpp"
#include "core/text/list.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <fmt/format.h>

namespace muster::preflight {
namespace {

using State = NcclStart::State;

constexpr std::size_t max_lines = 8;
// The limit must be at least this many times the median before it counts.
constexpr double long_before = 3;

bool is_ready(const std::optional<NcclStart>& start) {
  return start && start->state == State::ready;
}

std::uint32_t usual_version(std::span<const std::optional<NcclStart>> starts) {
  std::map<std::uint32_t, std::size_t> times;
  for (const auto& start : starts) {
    if (is_ready(start)) ++times[start->version];
  }
  const auto more = [](const auto& one, const auto& other) { return one.second < other.second; };
  const auto most = std::ranges::max_element(times, more);
  return most == times.end() ? 0 : most->first;
}

std::string version_text(std::uint32_t version) {
  return fmt::format("{}.{}.{}", version / 10000, version % 10000 / 100, version % 100);
}

// Whether a node that reaches such a limit is itself to blame.
bool is_telling(const std::vector<double>& times, double limit) {
  return times.size() >= least_samples && upper_median(times) * long_before <= limit;
}

// Uses only tests that succeeded.
std::vector<double> times_of(const NcclSeen& seen) {
  std::vector<double> times;
  for (const auto& test : seen.tests) {
    if (test.link.measure) times.push_back(test.time);
  }
  return times;
}

std::string seconds_text(double milliseconds) {
  return fmt::format("{:.1f} s", milliseconds / 1000);
}

// For a node that could not start, although more than half of the nodes asked could.
void add_starts(const NcclSeen& seen, std::vector<std::vector<Finding>>& findings) {
  std::vector<double> times;
  std::size_t asked = 0;
  for (const auto& start : seen.starts) {
    if (start) ++asked;
    if (is_ready(start)) times.push_back(start->time);
  }
  if (times.size() < least_samples || 2 * times.size() <= asked) return;
  for (std::size_t node = 0; node < std::min(seen.starts.size(), findings.size()); ++node) {
    const auto& start = seen.starts[node];
    if (start && start->state == State::failed)
      findings[node].push_back({Severity::failing, "NCCL cannot start: " + start->why});
    if (start && start->state == State::late && is_telling(times, seen.start_limit)) {
      findings[node].push_back(
          {Severity::slow,
           fmt::format("its GPU was not ready for NCCL within {}; on other nodes, this took {}",
                       seconds_text(seen.start_limit), seconds_text(upper_median(times)))});
    }
  }
}

std::string partners_text(std::span<const std::string> nodes,
                          const std::vector<NodeIndex>& partners) {
  constexpr std::size_t max_named = 3;
  std::vector<std::string> names;
  for (const auto node : partners) {
    if (names.size() < max_named) names.push_back(nodes[node]);
  }
  return text::join(names, ", ");
}

// If hardly any test succeeds, no single node is to blame.
void add_tests(const NcclSeen& seen, std::span<const std::string> nodes,
               std::vector<std::vector<Finding>>& findings) {
  const auto links = nccl_links(seen);
  const auto judged = judge(links);
  const auto good = std::ranges::count(judged, Outcome::good, &Judged::outcome);
  if (good < static_cast<std::ptrdiff_t>(least_samples)) return;
  const auto all = standings(nodes.size(), links);
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    const auto& [standing, what, partners] = all[node];
    const auto with = partners_text(nodes, partners);
    if (standing == Standing::slow)
      findings[node].push_back({Severity::slow, fmt::format("NCCL: {} (with {})", what, with)});
    if (standing == Standing::failing)
      findings[node].push_back({Severity::failing, fmt::format("NCCL: {} (with {})", what, with)});
    if (standing == Standing::suspect) {
      findings[node].push_back(
          {Severity::warning,
           fmt::format("NCCL: {} (with {}; either end may be at fault)", what, with)});
    }
  }
}

std::string measured_line(const NcclSeen& seen) {
  const auto links = nccl_links(seen);
  const bool any = std::ranges::any_of(links, [](const auto& link) { return bool(link.measure); });
  if (!any) {
    return fmt::format("NCCL: no test succeeded; the last failure: {}", seen.tests.back().link.why);
  }
  const auto middle = median_of(links);
  return fmt::format(
      "NCCL: {} nodes in {}, {} a test: latency {:.3f} ms, bandwidth {:.0f} MB/s (medians)",
      nccl_nodes(seen.starts).size(), text::count(seen.rounds, "round"),
      seconds_text(upper_median(times_of(seen))), middle.latency / 1000, middle.bandwidth / 1e6);
}

std::string why_left_out(const NcclStart& start, std::uint32_t usual, double limit) {
  if (start.state == State::late) return "not ready within " + seconds_text(limit);
  if (start.state != State::ready) return start.why;
  if (start.version == usual) return {};
  return fmt::format("NCCL {}, but most nodes have {}", version_text(start.version),
                     version_text(usual));
}

}  // namespace

std::string to_text(const NcclStart& start) {
  auto said = start;
  if (start.state != State::ready && start.why.empty()) said.why = "no reason given";
  return record::write(said);
}

std::string to_text(const NcclReport& report) {
  return record::write(report);
}

std::optional<NcclStart> nccl_start(std::string_view text) {
  return record::read<NcclStart>(text);
}

std::optional<NcclReport> nccl_report(std::string_view text) {
  return record::read<NcclReport>(text);
}

NcclTest nccl_test(Link link, const NcclReport& from, const NcclReport& to, double limit) {
  // An end that reaches its limit stops the other end as well, whose clock may be slightly behind.
  constexpr double together = 300;
  NcclTest test{std::move(link), std::max(from.time, to.time), false};
  const NcclReport* cause = nullptr;
  for (const auto* const end : {&from, &to}) {
    if (!end->report.failure.empty() && (cause == nullptr || end->time < cause->time)) cause = end;
  }
  if (cause == nullptr) {
    test.link.measure = from.report.measure ? from.report.measure : to.report.measure;
    if (!test.link.measure) test.link.why = "neither end has measured anything";
    return test;
  }
  const auto& other = cause == &from ? to : from;
  if (!cause->late && other.late && cause->time > limit - together) cause = &other;
  test.late = cause->late;
  test.link.why = cause->report.failure;
  return test;
}

std::vector<NodeIndex> nccl_nodes(std::span<const std::optional<NcclStart>> starts) {
  const auto usual = usual_version(starts);
  std::vector<NodeIndex> nodes;
  for (NodeIndex node = 0; node < starts.size(); ++node) {
    if (is_ready(starts[node]) && starts[node]->version == usual) nodes.push_back(node);
  }
  return nodes;
}

std::vector<Link> nccl_links(const NcclSeen& seen) {
  const bool late_counts = is_telling(times_of(seen), seen.test_limit);
  std::vector<Link> links;
  for (const auto& test : seen.tests) {
    if (!test.late || late_counts) links.push_back(test.link);
  }
  return links;
}

std::vector<std::vector<Finding>> nccl_findings(const NcclSeen& seen,
                                                std::span<const std::string> nodes) {
  std::vector<std::vector<Finding>> findings(nodes.size());
  add_starts(seen, findings);
  add_tests(seen, nodes, findings);
  return findings;
}

std::vector<std::string> nccl_lines(const NcclSeen& seen, std::span<const std::string> nodes) {
  const auto gpus = std::ranges::count(seen.has_gpu, true);
  if (gpus == 0) return {"NCCL was not tested: no node has an NVIDIA GPU"};
  if (gpus == 1) return {"NCCL was not tested: only one node has an NVIDIA GPU"};
  if (!seen.failure.empty()) return {"NCCL was not tested: " + seen.failure};
  std::vector<std::string> lines;
  if (!seen.tests.empty()) lines.push_back(measured_line(seen));
  const auto usual = usual_version(seen.starts);
  std::map<std::string, std::vector<std::string>> left_out;
  for (std::size_t node = 0; node < seen.starts.size(); ++node) {
    if (!seen.starts[node]) continue;
    const auto why = why_left_out(*seen.starts[node], usual, seen.start_limit);
    if (!why.empty()) left_out[why].push_back(nodes[node]);
  }
  for (const auto& [why, names] : left_out) {
    if (lines.size() >= max_lines) break;
    lines.push_back(
        fmt::format("NCCL was not tested on {}: {}", slurm::compress_hostlist(names), why));
  }
  if (seen.tests.empty() && left_out.empty())
    lines.emplace_back("NCCL was not tested: no time was left");
  return lines;
}

}  // namespace muster::preflight
