// Which of the tested nodes slow the others down. A test is compared with the median of all tests, never with
// a figure that somebody has thought of, and a test that fails says nothing of which end is bad: only a node
// that does badly with two partners that do well with others is named. Pure.
#pragma once

#include "core/preflight/link.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace muster::preflight {

inline constexpr std::size_t least_samples = 3;  // good tests, before anything is called bad

enum class Outcome : std::uint8_t { good, slow, failed };

struct Judged {
  Outcome outcome = Outcome::good;
  std::string what = {};  // of one that is not good: "latency 5.1 ms, elsewhere 0.06 ms"
  bool clear = false;     // it is no chance
};

struct Median {
  double latency = 0;
  double mean = 0;
  double retransmitted = 0;
  double bandwidth = 0;
};

Median median_of(std::span<const Link> links);

// One for each test. Of an even number of tests the better one of the two in the middle is the median: one
// bad node of four has half of all tests.
std::vector<Judged> judge(std::span<const Link> links);

enum class Standing : std::uint8_t {
  untested,
  good,
  suspect,  // its last test was bad, and it is not clear yet which end is to blame
  slow,
  failing,  // no node reaches it, or it reaches none
};

struct NodeStanding {
  Standing standing = Standing::untested;
  std::string what = {};                 // of slow and failing, and of a suspect
  std::vector<NodeIndex> partners = {};  // of its bad tests
};

// By node index. With too few good tests it is not clear what is usual, and suspects remain suspects.
std::vector<NodeStanding> standings(std::size_t nodes, std::span<const Link> links);

}  // namespace muster::preflight
