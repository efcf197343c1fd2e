// Which rank asks which root in NCCL's bootstrap. This is NCCL's own rule for ncclCommInitRankScalable, which
// its manual also describes to users ("rankHasRoot"): ranks go in order, and the first N mod R roots have one
// more rank. The first of a root's ranks should make its id, so that the maker is close to the ranks that
// contact it.
#pragma once

#include <algorithm>

namespace muster::worker::nccl {

// What PyTorch and XLA use, on NCCL's advice; above 256, NCCL deliberately delays ranks.
inline constexpr int standard_ranks_per_root = 128;

class Roots {
 public:
  // `size` ranks over `count` roots, 1 <= count <= size.
  Roots(int size, int count) : fewer_(size / count), longer_(size % count), count_(count) {}

  // One root per `per_root` ranks, rounded up.
  static Roots for_each(int size, int per_root) {
    return {size, static_cast<int>((static_cast<long long>(size) + per_root - 1) / per_root)};
  }

  int count() const { return count_; }

  int root_of(int rank) const {
    const long long in_longer = static_cast<long long>(longer_) * (fewer_ + 1);
    if (rank < in_longer) return rank / (fewer_ + 1);
    return static_cast<int>((rank - in_longer) / fewer_) + longer_;
  }

  int first_rank(int root) const { return root * fewer_ + std::min(root, longer_); }
  int ranks(int root) const { return fewer_ + (root < longer_ ? 1 : 0); }
  bool is_first(int rank) const { return first_rank(root_of(rank)) == rank; }

 private:
  int fewer_;   // the fewest ranks that a root has
  int longer_;  // how many roots have one more rank
  int count_;
};

}  // namespace muster::worker::nccl
