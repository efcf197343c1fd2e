#include "core/preflight/judge.hpp"

#include "core/preflight/median.hpp"
#include "core/text/amounts.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

namespace muster::preflight {
namespace {

// How many times worse than the median a figure must be before it counts as bad, and by how much.
constexpr double far_latency = 3;
constexpr double far_mean = 5;
constexpr double far_bandwidth = 3;
constexpr double least_latency = 50;  // microseconds more
constexpr double least_mean = 500;
// If the results scatter, as on nodes with other work, a bad one must lie this far outside.
constexpr double scatters = 4;
constexpr double to_deviation =
    1.4826;  // for the better quarter's distance, if results were normally distributed
constexpr double very_far = 30;  // times the median: bad, however much the results scatter
constexpr double scatters_of_few = 2;
constexpr double clearly = 1.5;   // times as far outside (in logarithms) as is required
constexpr double least_lost = 2;  // packets: each one costs 200 ms, and a test has time for three

// The value that a quarter of them exceed.
double upper_quarter(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto place =
      values.begin() + static_cast<std::ptrdiff_t>(values.size() - 1 - values.size() / 4);
  std::ranges::nth_element(values, place);
  return *place;
}

template <class Field>
std::vector<double> values_of(std::span<const Link> links, Field Measure::*field) {
  std::vector<double> values;
  for (const auto& link : links) {
    if (link.measure) values.push_back(static_cast<double>((*link.measure).*field));
  }
  return values;
}

// A figure's median, and what counts as far above or below it. Compares ratios rather than differences,
// because a test takes twice as long as easily as half as long. How much results scatter is taken from the
// better half of them, so that bad nodes, which may account for up to half of the tests, do not widen it.
class Usual {
 public:
  // `better`: 1 if more is better, otherwise -1.
  Usual(double middle, const std::vector<double>& values, double factor, double better)
      : median_(middle) {
    std::vector<double> distances;
    for (const auto value : values) distances.push_back(std::max(better * ratio(value), 0.0));
    const auto few =
        1 + scatters_of_few / static_cast<double>(std::max<std::size_t>(values.size(), 1));
    limit_ = few * std::max(std::log(factor),
                            scatters * to_deviation * upper_quarter(std::move(distances)));
    limit_ = std::min(limit_, std::log(very_far));
  }
  // How far above, relative to the limit: more than 1 is bad.
  [[nodiscard]] double above(double value) const { return ratio(value) / limit_; }
  [[nodiscard]] double below(double value) const { return -ratio(value) / limit_; }
  [[nodiscard]] double median_value() const { return median_; }

 private:
  [[nodiscard]] double ratio(double value) const {
    constexpr double smallest = 1e-3;
    return std::log(std::max(value, smallest) / std::max(median_, smallest));
  }
  double median_ = 0;
  double limit_ = 0;
};

struct AllUsual {
  explicit AllUsual(std::span<const Link> links) : AllUsual(median_of(links), links) {}
  AllUsual(const Median& middle, std::span<const Link> links)
      : latency(middle.latency, values_of(links, &Measure::latency), far_latency, -1),
        mean(middle.mean, values_of(links, &Measure::mean), far_mean, -1),
        bandwidth(middle.bandwidth, values_of(links, &Measure::bandwidth), far_bandwidth, 1),
        retransmitted(middle.retransmitted) {}
  Usual latency;
  Usual mean;
  Usual bandwidth;
  double retransmitted;
};

std::string time_text(double microseconds) {
  return fmt::format("{:.2f} ms", microseconds / 1000);
}

std::string bandwidth_text(double bytes) {
  constexpr double megabyte = 1e6;
  return fmt::format("{:.0f} MB/s", bytes / megabyte);
}

// Lost packets are not chance either if no other test loses any.
bool loses_more(const Measure& measure, const AllUsual& usual) {
  return measure.retransmitted >= 1 + 2 * usual.retransmitted;
}

Judged judge_measure(const Measure& measure, const AllUsual& usual) {
  const auto latency = usual.latency.median_value();
  const auto mean = usual.mean.median_value();
  const auto slow = [&](double excess, std::string what) -> Judged {
    return {Outcome::slow, std::move(what), excess > clearly || loses_more(measure, usual)};
  };
  if (measure.retransmitted >= least_lost + least_lost * usual.retransmitted) {
    return {Outcome::slow,
            fmt::format("{} of its packets were lost, compared with {:.0f} elsewhere",
                        measure.retransmitted, usual.retransmitted),
            true};
  }
  const auto slower = usual.latency.above(measure.latency);
  if (slower > 1 && measure.latency > latency + least_latency) {
    return slow(slower, fmt::format("latency {}, elsewhere {}", time_text(measure.latency),
                                    time_text(latency)));
  }
  const auto later = usual.mean.above(measure.mean);
  if (later > 1 && measure.mean > mean + least_mean) {
    const auto lost = measure.retransmitted;
    return slow(
        later,
        fmt::format("mean latency {}{}, elsewhere {}", time_text(measure.mean),
                    lost > 0 ? fmt::format(" with {} lost", text::count(lost, "packet")) : "",
                    time_text(mean)));
  }
  const auto narrower = usual.bandwidth.below(measure.bandwidth);
  if (narrower > 1) {
    return slow(narrower,
                fmt::format("bandwidth {}, elsewhere {}", bandwidth_text(measure.bandwidth),
                            bandwidth_text(usual.bandwidth.median_value())));
  }
  return {};
}

// What is known about one node while the bad tests are attributed to nodes, one bad node at a time.
class Standings {
 public:
  Standings(std::size_t nodes, std::span<const Link> links)
      : links_(links), judged_(judge(links)), nodes_(nodes) {
    const auto good = std::ranges::count(judged_, Outcome::good, &Judged::outcome);
    enough_ = good >= static_cast<std::ptrdiff_t>(least_samples);
  }

  std::vector<NodeStanding> found() {
    while (enough_ && name_worst()) {
    }
    for (NodeIndex node = 0; node < nodes_.size(); ++node) conclude(node);
    return std::move(nodes_);
  }

 private:
  struct Tests {
    std::size_t good = 0;
    std::size_t bad = 0;
    std::set<NodeIndex> bad_with;  // partners that pass with other nodes
    std::size_t failed = 0;
    std::size_t clear = 0;
    std::string what;  // what was bad in the first bad test
  };

  [[nodiscard]] bool is_bad(NodeIndex node) const {
    return nodes_[node].standing == Standing::slow || nodes_[node].standing == Standing::failing;
  }
  [[nodiscard]] static NodeIndex partner(const Link& link, NodeIndex node) {
    return link.from == node ? link.to : link.from;
  }
  [[nodiscard]] bool is_of(const Link& link, NodeIndex node) const {
    return link.from == node || link.to == node;
  }
  [[nodiscard]] bool does_well(NodeIndex node) const {
    for (std::size_t i = 0; i < links_.size(); ++i) {
      if (judged_[i].outcome == Outcome::good && is_of(links_[i], node)) return true;
    }
    return false;
  }

  [[nodiscard]] Tests tests_of(NodeIndex node) const {
    Tests tests;
    for (std::size_t i = 0; i < links_.size(); ++i) {
      if (!is_of(links_[i], node)) continue;
      const auto other = partner(links_[i], node);
      if (judged_[i].outcome == Outcome::good) {
        ++tests.good;
      } else if (!is_bad(other) && does_well(other)) {
        tests.bad_with.insert(other);
        ++tests.bad;
        if (judged_[i].outcome == Outcome::failed) ++tests.failed;
        if (judged_[i].clear) ++tests.clear;
        if (tests.what.empty()) tests.what = judged_[i].what;
      }
    }
    return tests;
  }

  // A node that fails twice is failing. A slow one may have been unlucky twice, and a slightly slow one three
  // times.
  static std::size_t needed(const Tests& tests) {
    if (tests.failed >= 2) return 2;
    return tests.clear >= 3 ? 3 : 4;
  }

  // The node with the most bad tests also explains those of its partners.
  bool name_worst() {
    std::optional<NodeIndex> worst;
    Tests its;
    for (NodeIndex node = 0; node < nodes_.size(); ++node) {
      if (is_bad(node)) continue;
      auto tests = tests_of(node);
      if (tests.bad < needed(tests) || tests.bad_with.size() < 2 || tests.bad <= tests.good)
        continue;
      if (worst && tests.bad <= its.bad) continue;
      worst = node;
      its = std::move(tests);
    }
    if (!worst) return false;
    const bool fails = its.failed >= 2 && its.good == 0;
    nodes_[*worst] = {fails ? Standing::failing : Standing::slow,
                      std::move(its.what),
                      {its.bad_with.begin(), its.bad_with.end()}};
    return true;
  }

  // The node's last test counts: a bad test that does not recur is forgiven.
  void conclude(NodeIndex node) {
    if (is_bad(node)) return;
    auto& standing = nodes_[node];
    for (std::size_t i = 0; i < links_.size(); ++i) {
      if (!is_of(links_[i], node)) continue;
      const auto other = partner(links_[i], node);
      const bool counts = judged_[i].outcome != Outcome::good && !is_bad(other);
      if (counts) standing.partners.push_back(other);
      standing.standing = counts ? Standing::suspect : Standing::good;
      standing.what = counts ? judged_[i].what : std::string();
    }
  }

  std::span<const Link> links_;
  std::vector<Judged> judged_;
  std::vector<NodeStanding> nodes_;
  bool enough_ = false;
};

}  // namespace

Median median_of(std::span<const Link> links) {
  return {lower_median(values_of(links, &Measure::latency)),
          lower_median(values_of(links, &Measure::mean)),
          lower_median(values_of(links, &Measure::retransmitted)),
          upper_median(values_of(links, &Measure::bandwidth))};
}

std::vector<Judged> judge(std::span<const Link> links) {
  const AllUsual usual(links);
  std::vector<Judged> judged;
  for (const auto& link : links) {
    if (!link.measure) {
      judged.push_back({Outcome::failed, link.why, true});
      continue;
    }
    judged.push_back(judge_measure(*link.measure, usual));
  }
  return judged;
}

std::vector<NodeStanding> standings(std::size_t nodes, std::span<const Link> links) {
  return Standings(nodes, links).found();
}

}  // namespace muster::preflight
