// Measures between two nodes: ncclAllReduce of a few bytes and of many, with the NCCL that libmuster has
// opened, under a deadline.
#pragma once

#include "launcher/tools/preflight/nccl/cuda_driver.hpp"
#include "launcher/tools/preflight/nccl/words.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include <muster/muster.h>

namespace muster::preflight::nccl {

using NcclResult = int;
inline constexpr NcclResult nccl_success = 0;
inline constexpr NcclResult nccl_in_progress = 7;
inline constexpr int nccl_float = 7;
inline constexpr int nccl_sum = 0;

// Input, output, count, type, operation, communicator, stream.
using AllReduceFunction = NcclResult (*)(const void*, void*, std::size_t, int, int, void*, void*);

struct Nccl {
  int version = 0;
  AllReduceFunction all_reduce = nullptr;
};

// Throws NothingHere if this node has no NCCL that libmuster can use.
Nccl open_nccl();

// For each of input and output.
inline constexpr std::size_t max_bytes = std::size_t{32} << 20;

class Pair {
 public:
  using Clock = std::chrono::steady_clock;

  Pair(const Nccl& nccl, const Gpu& gpu) : nccl_(nccl), gpu_(gpu) {}
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;
  ~Pair() { leave(); }

  // Connects to the other program and measures. Throws TooLate, or std::runtime_error with one line.
  Figures test(const Order& order);

  // Ends whatever is left of it, in bounded time.
  void leave();

 private:
  struct Repetitions {  // how many all-reduces
    std::int32_t small = 0;
    std::int32_t large = 0;
  };

  void join(const Order& order);
  void check(int status) const;
  [[nodiscard]] int milliseconds_left() const;
  double reduce(std::size_t bytes);
  void await_nccl();
  void await_gpu();
  double check_sum(const Order& order);
  Repetitions agreed(const Order& order, double small, double probe);
  void measure_small(int repetitions, Figures& figures);
  void measure_large(int repetitions, const Order& order, double probe, Figures& figures);

  const Nccl& nccl_;
  const Gpu& gpu_;
  Clock::time_point deadline_;
  muster_t* step_ = nullptr;
  void* communicator_ = nullptr;
  bool whole_ = false;
};

}  // namespace muster::preflight::nccl
