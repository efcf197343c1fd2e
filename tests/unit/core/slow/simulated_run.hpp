// A training as its agents tell it: each rank computes, arrives at its collectives, and goes on when the last one
// has come. The answers go through the same steps as a real rank's: reduced on each node, joined, judged.
#pragma once

#include "core/slow/node_arrivals.hpp"
#include "core/slow/tracker.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace muster::slow {

inline double between(double least, double most, std::mt19937& random) {
  return std::uniform_real_distribution(least, most)(random);
}

inline constexpr double forward = 0.35;  // of a step, before its first collective

struct Shape {
  std::size_t nodes = 3;
  std::size_t ranks_of_node = 1;
  double told_every = 10;       // seconds
  double buckets = 1;           // collectives of a step, for which nobody waits but for the last
  std::uint64_t followers = 0;  // further collectives, each of which waits for the one before
  bool pairs = false;
};

// How long a rank computes before a step's collectives.
using Compute = std::function<double(std::size_t rank, std::uint64_t step, std::mt19937& random)>;

class SimulatedRun {
 public:
  SimulatedRun(const Shape& shape, Compute compute, std::uint32_t seed, const Limits& limits = {})
      : shape_(shape),
        compute_(std::move(compute)),
        random_(seed),
        tracker(limits),
        nodes_(shape.nodes) {}

  // Returns how long it took until somebody was named: the run ends then. No value: nobody.
  std::optional<double> run(double seconds) {
    while (time < seconds) {
      step();
      if (time < told_ + shape_.told_every) continue;
      told_ = time;
      tell();
      const auto now = nanoseconds_of(time);
      if (!tracker.look(now, [](std::size_t node) { return "n" + std::to_string(node); }).empty())
        return time;
    }
    return std::nullopt;
  }

  double time = 0;
  std::uint64_t steps = 0;

 private:
  static std::chrono::nanoseconds nanoseconds_of(double seconds) {
    return std::chrono::nanoseconds(static_cast<std::int64_t>(seconds * 1e9));
  }
  [[nodiscard]] std::size_t ranks() const { return shape_.nodes * shape_.ranks_of_node; }

  void step() {
    std::vector<double> computes;
    for (std::size_t rank = 0; rank < ranks(); ++rank)
      computes.push_back(compute_(rank, steps, random_));
    ++steps;
    double end = 0;
    const auto buckets = static_cast<std::uint64_t>(shape_.buckets);
    for (std::uint64_t bucket = 1; bucket <= buckets; ++bucket) {
      ++number_;
      for (std::size_t rank = 0; rank < ranks(); ++rank) {
        const double backward = buckets == 1 ? 1 : static_cast<double>(bucket) / shape_.buckets;
        const auto at = time + computes[rank] * (forward + (1 - forward) * backward);
        end = std::max(end, at);
        arrivals_.resize(ranks());
        arrivals_[rank].push_back(
            {.group = 0, .operation = 0, .number = number_, .wall = nanoseconds_of(at)});
      }
    }
    time = end + 0.002;  // the transfer
    for (std::uint64_t follower = 0; follower < shape_.followers; ++follower) {
      ++number_;
      for (auto& of_rank : arrivals_)
        of_rank.push_back(
            {.number = number_, .wall = nanoseconds_of(time + between(0, 0.0005, random_))});
      time += 0.003;
    }
  }

  void tell() {
    Group group{.name = "0", .ranks = "0-" + std::to_string(ranks() - 1)};
    group.size = static_cast<std::uint32_t>(ranks());
    group.pairs = shape_.pairs;
    for (std::size_t rank = 0; rank < ranks(); ++rank) {
      Answer answer{.rank = static_cast<std::uint32_t>(rank),
                    .groups = {group},
                    .operations = {"all_reduce"}};
      answer.arrivals = std::exchange(arrivals_[rank], {});
      nodes_[rank / shape_.ranks_of_node].add(answer,
                                              [](auto wall) { return std::optional(wall); });
    }
    for (std::size_t node = 0; node < shape_.nodes; ++node) {
      if (const auto piece = nodes_[node].take(std::chrono::microseconds(100)))
        tracker.add(node, *piece);
    }
  }

  const Shape shape_;
  const Compute compute_;
  std::mt19937 random_;

 public:
  Tracker tracker;

 private:
  std::vector<NodeArrivals> nodes_;
  std::vector<std::vector<Arrival>> arrivals_;
  std::uint64_t number_ = 0;
  double told_ = 0;
};

}  // namespace muster::slow
