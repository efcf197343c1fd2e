#include "worker/tcp/address_counts.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace muster::worker::tcp {
namespace {

constexpr std::size_t max_addresses = 64;
constexpr std::size_t max_shown = 4;

}  // namespace

void AddressCounts::add(const std::string& address) {
  ++total_;
  if (counts_.size() < max_addresses || counts_.contains(address)) ++counts_[address];
}

std::string AddressCounts::text(const std::string& words) const {
  if (total_ == 1) return "1 connection was " + words + " (from " + counts_.begin()->first + ")";
  std::vector<std::pair<std::string, std::size_t>> most(counts_.begin(), counts_.end());
  std::stable_sort(most.begin(), most.end(),
                   [](const auto& one, const auto& other) { return one.second > other.second; });
  most.resize(std::min(most.size(), max_shown));
  auto text = std::to_string(total_) + " connections were " + words + " (";
  auto others = total_;
  for (const auto& [address, count] : most) {
    text += (others < total_ ? ", " : "") + std::to_string(count) + " from " + address;
    others -= count;
  }
  return text + (others > 0 ? ", " + std::to_string(others) + " from others)" : ")");
}

}  // namespace muster::worker::tcp
