// The lines that a node's part of a preflight and the program muster-preflight-nccl send each other. They
// share only this file. Pure.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace muster::preflight::nccl {

inline constexpr std::size_t max_line = 1024;  // bytes, without the line feed
inline constexpr std::chrono::milliseconds max_limit{60'000};

// One test together with the program of another node.
struct Order {
  int rank = 0;        // 0 or 1; the other node's program finds rank 0
  bool small = false;  // tests
  std::chrono::milliseconds limit{0};
  std::string place;  // ADDRESS:PORT of rank 0
  std::string key;    // of this test alone: 64 hexadecimal digits

  friend bool operator==(const Order&, const Order&) = default;
};

// The figures of an all-reduce of two ranks.
struct Figures {
  double latency = 0;    // microseconds for eight bytes: the slowest of the fastest quarter
  double mean = 0;       // microseconds, of all
  double bandwidth = 0;  // bytes in a second

  friend bool operator==(const Figures&, const Figures&) = default;
};

enum class Outcome : std::uint8_t {
  ready,     // once, at the start: the GPU and NCCL can be used
  left_out,  // likewise: there is nothing here that could be tested
  measured,
  late,  // it was not done within the limit
  failed,
};

struct Answer {
  Outcome outcome = Outcome::failed;
  int version = 0;       // of NCCL, where it is ready: 22809
  Figures figures = {};  // where it has measured
  std::string why = {};  // else

  friend bool operator==(const Answer&, const Answer&) = default;
};

// Without a line feed.
std::string to_line(const Order& order);
std::string to_line(const Answer& answer);

// Nothing for what to_line() cannot have written.
std::optional<Order> order_in(std::string_view line);
std::optional<Answer> answer_in(std::string_view line);

}  // namespace muster::preflight::nccl
