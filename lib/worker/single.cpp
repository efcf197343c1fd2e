#include "worker/single.hpp"

#include "worker/error.hpp"

#include <utility>

namespace muster::worker {
namespace {

class Single final : public Transport {
 public:
  explicit Single(RankInfo info) : info_(std::move(info)) {}

  muster_transport kind() const override { return MUSTER_TRANSPORT_SINGLE; }
  const RankInfo& rank_info() const override { return info_; }
  std::vector<Bytes> exchange(const Phase& /*phase*/, std::span<const std::byte> mine,
                              std::span<const int> wanted, const Deadline& /*deadline*/) override {
    return {wanted.size(), Bytes{mine.begin(), mine.end()}};
  }
  std::vector<int> local_ranks() const override { return {0}; }
  std::string node_of(int /*rank*/) const override { return info_.node; }
  void abort(int /*code*/, const std::string& /*reason*/, const Deadline& /*deadline*/) override {}
  void finalize(const Deadline& /*deadline*/) override {}

 private:
  RankInfo info_;
};

}  // namespace

std::unique_ptr<Transport> make_single_transport(RankInfo info) {
  info.rank = 0;
  info.size = 1;
  info.contiguous_rank = 0;
  info.local_rank = 0;
  info.local_size = 1;
  info.node_rank = 0;
  info.node_count = 1;
  return std::make_unique<Single>(std::move(info));
}

}  // namespace muster::worker
