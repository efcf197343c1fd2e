// The lines that a node's part of a preflight and the program muster-preflight-nccl send each other. This is
// the only file that they share. Pure.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace muster::preflight::nccl {

inline constexpr std::size_t max_line = 1024;  // bytes, without the newline
inline constexpr std::chrono::milliseconds max_limit{60'000};

// One test together with another node's program.
struct Order {
  int rank = 0;        // 0 or 1; the other node's program finds rank 0
  bool small = false;  // tests
  std::chrono::milliseconds limit{0};
  std::string place;  // rank 0's ADDRESS:PORT
  std::string key;    // for this test only: 64 hexadecimal digits

  friend bool operator==(const Order&, const Order&) = default;
};

// The figures for an all-reduce between two ranks.
struct Figures {
  double latency = 0;    // microseconds for eight bytes: the slowest of the fastest quarter
  double mean = 0;       // microseconds, over all of them
  double bandwidth = 0;  // bytes per second

  friend bool operator==(const Figures&, const Figures&) = default;
};

enum class Outcome : std::uint8_t {
  ready,     // sent once, at the start: the GPU and NCCL can be used
  left_out,  // likewise: there is nothing to test here
  measured,
  late,  // it did not finish within the limit
  failed,
};

struct Answer {
  Outcome outcome = Outcome::failed;
  int version = 0;       // NCCL's, if ready: 22809
  Figures figures = {};  // if it has measured
  std::string why = {};  // else

  friend bool operator==(const Answer&, const Answer&) = default;
};

// Without a newline.
std::string to_line(const Order& order);
std::string to_line(const Answer& answer);

// No value for a text that to_line() cannot have written.
std::optional<Order> order_in(std::string_view line);
std::optional<Answer> answer_in(std::string_view line);

}  // namespace muster::preflight::nccl
