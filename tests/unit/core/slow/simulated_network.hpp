// The traffic of a training as its agents tell it: in each step the nodes compute, and then send to each other, round
// by round. What the kernel would count goes through the same steps as on real nodes: reduced on each node, judged.
#pragma once

#include "core/slow/links.hpp"
#include "core/slow/node_traffic.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace muster::slow {

inline Address address_of_node(std::size_t node) {
  Address address;
  address.bytes = {0, 0, 0,    0,    0,  0, 0, 0,
                   0, 0, 0xff, 0xff, 10, 0, 0, static_cast<unsigned char>(node + 1)};
  return address;
}

// What one node sends to another in a round, which begins when the round before is over on all nodes.
struct Message {
  std::size_t from = 0;
  std::size_t to = 0;
  double bytes = 0;
};
using Round = std::vector<Message>;

// Each node sends to the next one, in twice as many rounds as it has others.
inline std::vector<Round> ring(std::size_t nodes, double bytes) {
  Round round;
  for (std::size_t node = 0; node < nodes; ++node)
    round.push_back({node, (node + 1) % nodes, bytes / static_cast<double>(nodes)});
  return std::vector<Round>(2 * (nodes - 1), round);
}

// In each round with half as much, and then back. The number of nodes is a power of two.
inline std::vector<Round> halving_doubling(std::size_t nodes, double bytes) {
  std::vector<Round> rounds;
  for (std::size_t distance = 1; distance < nodes; distance *= 2) {
    bytes /= 2;
    Round round;
    for (std::size_t node = 0; node < nodes; ++node)
      round.push_back({node, node ^ distance, bytes});
    rounds.push_back(std::move(round));
  }
  auto back = rounds;
  std::ranges::reverse(back);
  rounds.insert(rounds.end(), back.begin(), back.end());
  return rounds;
}

inline double normal(double deviation, std::mt19937& random) {
  return std::exp(std::normal_distribution(0.0, deviation)(random));
}

struct Network {
  std::size_t nodes = 4;
  std::vector<Round> rounds = {};  // of a step
  double compute = 0.3;            // seconds of a step before them
  double latency = 100e-6;         // until a message is acknowledged
  std::size_t connections = 1;     // of a link, all busy at the same time
  double noise = 0.3;              // of the speed of each message
  // Bytes a second of a link at a time.
  std::function<double(std::size_t from, std::size_t to, double time, std::mt19937& random)> speed =
      [](auto, auto, auto, auto&) { return 1e9; };
  // Where to this share of a message's segments is sent again.
  std::function<double(std::size_t from, std::size_t to)> repeated = [](auto, auto) { return 0.0; };
};

class SimulatedNetwork {
 public:
  SimulatedNetwork(Network network, std::uint32_t seed, const LinkLimits& limits = {})
      : links(limits), network_(std::move(network)), random_(seed), nodes_(network_.nodes) {}

  // Returns the slow links as soon as there are any: the run ends then.
  std::vector<SlowLink> run(double seconds) {
    while (time < seconds) {
      step();
      if (!found_.empty()) return std::exchange(found_, {});
    }
    return {};
  }

  // Told in the same way, beside the rounds.
  void also(std::size_t node, const Connection& connection) {
    more_.emplace_back(node, connection);
  }

  static std::chrono::nanoseconds nanoseconds_of(double seconds) {
    return std::chrono::nanoseconds(static_cast<std::int64_t>(seconds * 1e9));
  }

  Links links;
  double time = 0;

 private:
  struct Line {
    double bytes = 0;
    double busy = 0;
    double segments = 0;
    double repeated = 0;
    // The message on the way.
    double begin = 0;
    double end = 0;
    double size = 0;
    double sends_again = 0;
  };

  void step() {
    pass(time + network_.compute * normal(0.1, random_));
    for (const auto& round : network_.rounds) {
      double end = time;
      for (const auto& message : round) {
        auto& line = lines_[{message.from, message.to}];
        settle(line);
        const auto speed = network_.speed(message.from, message.to, time, random_) /
                           normal(network_.noise, random_);
        line.begin = time;
        line.size = message.bytes;
        line.end = time + message.bytes / speed + network_.latency * normal(0.3, random_);
        line.sends_again = network_.repeated(message.from, message.to);
        end = std::max(end, line.end);
      }
      pass(end);
    }
  }

  static double part_of(const Line& line, double until) {
    return line.end <= line.begin
               ? 0
               : std::clamp((until - line.begin) / (line.end - line.begin), 0.0, 1.0);
  }
  static void add(Line& line, double part) {
    line.bytes += part * line.size;
    line.busy += part * (line.end - line.begin);
    line.segments += part * line.size / 1448 + 1;
    line.repeated += part * line.size / 1448 * line.sends_again;
  }
  static void settle(Line& line) {
    add(line, 1);
    line.begin = line.end = line.size = 0;
  }

  // Looks once a second, and tells every five.
  void pass(double until) {
    for (; looked_ + 1 <= until; looked_ += 1) look(looked_ + 1);
    time = until;
  }

  void look(double now) {
    for (std::size_t node = 0; node < network_.nodes; ++node) {
      std::vector<Connection> connections;
      for (const auto& [ends, line] : lines_) {
        if (ends.first != node) continue;
        auto then = line;
        const auto part = part_of(line, now);
        add(then, part);
        for (std::size_t i = 0; i < network_.connections; ++i)
          connections.push_back(connection(ends, then, (1 - part) * line.size, i));
      }
      for (const auto& [of, more] : more_) {
        if (of == node) connections.push_back(grown(more, now));
      }
      nodes_[node].look(connections);
    }
    if (std::fmod(now, 5) != 0) return;
    for (std::size_t node = 0; node < network_.nodes; ++node) {
      if (const auto traffic = nodes_[node].take()) links.add(node, *traffic, nanoseconds_of(now));
    }
    if (found_.empty()) found_ = links.look(nanoseconds_of(now));
  }

  [[nodiscard]] Connection connection(std::pair<std::size_t, std::size_t> ends, const Line& line,
                                      double waiting, std::size_t number) const {
    const auto parts = static_cast<double>(network_.connections);
    return {.id = (ends.first << 32) + (ends.second << 16) + number,
            .from = address_of_node(ends.first),
            .to = address_of_node(ends.second),
            .bytes = static_cast<std::uint64_t>(line.bytes / parts),
            .busy = std::chrono::microseconds(static_cast<std::int64_t>(line.busy * 1e6)),
            .segments = static_cast<std::uint64_t>(line.segments / parts),
            .repeated = static_cast<std::uint64_t>(line.repeated / parts),
            .waiting = static_cast<std::uint64_t>(waiting / parts)};
  }

  // `more` has what it does in a second.
  static Connection grown(Connection more, double now) {
    const auto seconds = static_cast<std::uint64_t>(now);
    more.bytes *= seconds;
    more.busy *= seconds;
    more.receiver_full *= seconds;
    more.segments *= seconds;
    more.repeated *= seconds;
    return more;
  }

  const Network network_;
  std::mt19937 random_;
  std::vector<NodeTraffic> nodes_;
  std::map<std::pair<std::size_t, std::size_t>, Line> lines_;
  std::vector<std::pair<std::size_t, Connection>> more_;
  std::vector<SlowLink> found_;
  double looked_ = 0;
};

}  // namespace muster::slow
