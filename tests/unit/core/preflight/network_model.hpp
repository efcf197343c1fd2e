// The results of tests on a network, for the judge's tests: models, not measurements.
#pragma once

#include "core/preflight/link.hpp"
#include "core/preflight/rounds.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

namespace muster::preflight {

// The results of tests on a network without a fault.
struct Noise {
  double latency = 60;          // microseconds
  double scatter = 0.1;         // of the logarithm, for everything
  double hiccup = 0;            // the probability of a test in which some messages wait long
  double longest = 0;           // the microseconds that these wait
  double stream_scatter = 0.1;  // of the bandwidth's logarithm
  double bandwidth = 2e9;       // bytes per second
};

// What is wrong with a node.
struct Fault {
  double delay = 0;      // additional microseconds per message
  double lost = 0;       // share of packets
  double throttled = 1;  // share of its CPU that it gets, in slices of 100 ms
  double failing = 0;    // share of tests that fail
  double narrow = 1;     // share of the bandwidth
};

class Network {
 public:
  Network(const Noise& noise, unsigned seed) : noise_(noise), random_(seed) {}

  Fault& fault(NodeIndex node) { return faults_[node]; }

  Link test(const Pair& pair, std::uint32_t round) {
    Link link{pair.first, pair.second, round, Measure{}, {}};
    auto& measure = *link.measure;
    measure.latency = noise_.latency * scattered(noise_.scatter);
    measure.mean = measure.latency * (1.1 + std::abs(normal()) * noise_.scatter);
    if (chance(noise_.hiccup)) measure.mean += noise_.longest * uniform() / messages;
    measure.bandwidth = noise_.bandwidth * scattered(noise_.stream_scatter);
    for (const auto node : {pair.first, pair.second}) {
      const auto found = faults_.find(node);
      if (found != faults_.end()) spoil(link, found->second);
    }
    return link;
  }

 private:
  static constexpr double messages = 200;

  void spoil(Link& link, const Fault& fault) {
    if (chance(fault.failing)) link = {link.from, link.to, link.round, {}, "cannot connect"};
    if (!link.measure) return;
    auto& measure = *link.measure;
    measure.latency += fault.delay;
    measure.mean += fault.delay;
    measure.bandwidth *= fault.narrow / (1 + fault.delay / 1000);
    lose(measure, fault.lost);
    if (fault.throttled < 1) {
      // In every 100 ms it waits for the rest of the slice.
      measure.mean += (1 - fault.throttled) * 100000 / messages * (1 + uniform());
      measure.bandwidth *= fault.throttled;
    }
  }

  // Each lost packet costs 200 ms, and a test has only 600 ms.
  void lose(Measure& measure, double share) {
    double time = 0;
    double done = 0;
    while (done < messages && time < 600000) {
      time += measure.latency;
      if (chance(share) || chance(share)) {
        time += 200000;
        ++measure.retransmitted;
      }
      ++done;
    }
    measure.mean = std::max(measure.mean, time / done);
    if (share > 0) measure.bandwidth /= 1 + share * 100;
  }

  double normal() { return std::normal_distribution<double>()(random_); }
  double uniform() { return std::uniform_real_distribution<double>()(random_); }
  double scattered(double sigma) { return std::exp(sigma * normal()); }
  bool chance(double share) { return share > 0 && uniform() < share; }

  Noise noise_;
  std::mt19937 random_;
  std::map<NodeIndex, Fault> faults_;
};

}  // namespace muster::preflight
