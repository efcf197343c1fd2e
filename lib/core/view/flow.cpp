#include "core/view/flow.hpp"

#include <algorithm>

namespace muster::view {
namespace {

constexpr std::size_t most_of_node = std::size_t{256} << 10;
constexpr std::size_t least_of_node = std::size_t{4} << 10;
constexpr std::size_t most_of_step = std::size_t{32} << 20;

constexpr std::uint64_t max_lag = std::uint64_t{4} << 20;
constexpr std::uint64_t lag_after_skip = std::uint64_t{64} << 10;

}  // namespace

std::size_t window(std::uint32_t nodes) {
  return std::clamp(most_of_step / std::max(nodes, 1U), least_of_node, most_of_node);
}

std::optional<std::uint64_t> skip_to(std::uint64_t next, std::uint64_t size) {
  if (size <= next || size - next <= max_lag) return std::nullopt;
  return size - lag_after_skip;
}

void Sending::sent(std::size_t bytes) {
  sent_.push_back({next_, bytes});
  next_ += bytes;
  under_way_ += bytes;
}

void Sending::shown(std::uint64_t offset) {
  while (!sent_.empty() && sent_.front().offset + sent_.front().bytes <= offset) {
    under_way_ -= sent_.front().bytes;
    sent_.pop_front();
  }
}

void Sending::lost() {
  if (!sent_.empty()) next_ = sent_.front().offset;
  sent_.clear();
  under_way_ = 0;
}

bool Receiving::take(OutputPiece& piece) {
  if (piece.end() <= next_) return false;
  const auto known = piece.offset < next_ ? next_ - piece.offset : 0;
  piece.bytes.erase(0, known);
  piece.offset += known;
  next_ = piece.end();
  return true;
}

}  // namespace muster::view
