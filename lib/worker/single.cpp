#include "worker/single.hpp"

#include "worker/error.hpp"

#include <utility>

namespace muster::worker {
namespace {

class Single final : public Transport {
 public:
  explicit Single(Place place) : place_(std::move(place)) {}

  muster_transport kind() const override { return MUSTER_TRANSPORT_SINGLE; }
  const Place& place() const override { return place_; }
  std::vector<Bytes> exchange(const Phase& /*phase*/, std::span<const std::byte> mine,
                              std::span<const int> wanted, const Deadline& /*deadline*/) override {
    return {wanted.size(), Bytes{mine.begin(), mine.end()}};
  }
  std::vector<int> local_ranks() const override { return {0}; }
  std::string node_of(int /*rank*/) const override { return place_.node; }
  void abort(int /*code*/, const std::string& /*reason*/, const Deadline& /*deadline*/) override {}
  void finalize(const Deadline& /*deadline*/) override {}

 private:
  Place place_;
};

}  // namespace

std::unique_ptr<Transport> make_single_transport(Place place) {
  place.rank = 0;
  place.size = 1;
  place.contiguous_rank = 0;
  place.local_rank = 0;
  place.local_size = 1;
  place.node_rank = 0;
  place.node_count = 1;
  return std::make_unique<Single>(std::move(place));
}

}  // namespace muster::worker
