#include "transport_double.hpp"

#include <exception>
#include <thread>

namespace muster::worker {
namespace {

class RoomTransport final : public Transport {
 public:
  RoomTransport(std::shared_ptr<Room> room, int rank) : room_(std::move(room)) {
    info_.rank = rank;
    info_.size = room_->size();
    info_.node = RoomTransport::node_of(rank);
    info_.address = "192.0.2." + std::to_string(room_->node(rank) + 1);
  }
  muster_transport kind() const override { return MUSTER_TRANSPORT_TCP; }
  const RankInfo& rank_info() const override { return info_; }
  std::vector<Bytes> exchange(const Phase& /*phase*/, std::span<const std::byte> mine,
                              std::span<const int> wanted, const Deadline& /*deadline*/) override {
    const auto all = room_->meet(info_.rank, {mine.begin(), mine.end()});
    std::vector<Bytes> read;
    for (const int rank : wanted) read.push_back(all.at(static_cast<std::size_t>(rank)));
    return read;
  }
  std::vector<int> local_ranks() const override {
    std::vector<int> ranks;
    for (int rank = 0; rank < info_.size; ++rank) {
      if (node_of(rank) == info_.node) ranks.push_back(rank);
    }
    return ranks;
  }
  std::string node_of(int rank) const override {
    return "node" + std::to_string(room_->node(rank) + 1);
  }
  void abort(int /*code*/, const std::string& /*reason*/, const Deadline& /*deadline*/) override {}
  void finalize(const Deadline& /*deadline*/) override {}

 private:
  std::shared_ptr<Room> room_;
  RankInfo info_;
};

}  // namespace

std::vector<Bytes> Room::meet(int rank, Bytes mine) {
  if (tamper) tamper(rank, mine);
  std::unique_lock lock{mutex_};
  given_.at(static_cast<std::size_t>(rank)) = std::move(mine);
  const int round = round_;
  if (++come_ == size()) {
    come_ = 0;
    ++round_;
    complete_ = given_;
    changed_.notify_all();
  }
  changed_.wait(lock, [&] { return round_ != round; });
  return complete_;
}

std::unique_ptr<Transport> make_room_transport(std::shared_ptr<Room> room, int rank) {
  return std::make_unique<RoomTransport>(std::move(room), rank);
}

void as_ranks(const std::shared_ptr<Room>& room, const std::function<void(Transport&)>& body) {
  const auto size = static_cast<std::size_t>(room->size());
  std::vector<std::exception_ptr> failures(size);
  {
    std::vector<std::jthread> ranks;
    for (std::size_t rank = 0; rank < size; ++rank) {
      ranks.emplace_back([&, rank] {
        try {
          body(*make_room_transport(room, static_cast<int>(rank)));
        } catch (...) {
          failures[rank] = std::current_exception();
        }
      });
    }
  }
  for (const auto& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

void as_ranks(int size, const std::function<void(Transport&)>& body) {
  as_ranks(std::make_shared<Room>(size), body);
}

}  // namespace muster::worker
