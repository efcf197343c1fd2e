// Decides which of the tested nodes slow the others down. A test is compared with the median of all tests,
// never with an absolute figure. A failed test does not say which end is bad, so a node is blamed only if it
// does badly with two partners that do well with others. Pure.
#pragma once

#include "core/preflight/link.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace muster::preflight {

inline constexpr std::size_t least_samples = 3;  // good tests needed before anything is called bad

enum class Outcome : std::uint8_t { good, slow, failed };

struct Judged {
  Outcome outcome = Outcome::good;
  std::string what = {};  // for a test that is not good: "latency 5.1 ms, elsewhere 0.06 ms"
  bool clear = false;     // too far off to be chance
};

struct Median {
  double latency = 0;
  double mean = 0;
  double retransmitted = 0;
  double bandwidth = 0;
};

Median median_of(std::span<const Link> links);

// One result per test. With an even number of tests, the better of the two middle ones is the median: one bad
// node out of four accounts for half of all tests.
std::vector<Judged> judge(std::span<const Link> links);

enum class Standing : std::uint8_t {
  untested,
  good,
  suspect,  // its last test was bad, and it is not yet clear which end is to blame
  slow,
  failing,  // no node can reach it, or it can reach no node
};

struct NodeStanding {
  Standing standing = Standing::untested;
  std::string what = {};                 // for slow and failing nodes, and for a suspect
  std::vector<NodeIndex> partners = {};  // its partners in its bad tests
};

// Indexed by node. With too few good tests it is unclear what is normal, and suspects remain suspects.
std::vector<NodeStanding> standings(std::size_t nodes, std::span<const Link> links);

}  // namespace muster::preflight
