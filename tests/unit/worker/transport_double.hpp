// A double of a transport, not a real one: ranks are threads of this process and meet at a barrier.
#pragma once

#include "worker/transport.hpp"

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace muster::worker {

// What the ranks share. Each of its ranks must join every phase.
class Room {
 public:
  explicit Room(int size) : given_(static_cast<std::size_t>(size)) {}

  int size() const { return static_cast<int>(given_.size()); }
  // Gives `mine` and waits for all; returns a copy of what all gave.
  std::vector<Bytes> meet(int rank, Bytes mine);

  // Which node a rank is on, counted from 0.
  std::function<int(int rank)> node = [](int rank) { return rank / 2; };
  // What to do to a rank's bytes in transit.
  std::function<void(int rank, Bytes& bytes)> tamper;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Bytes> given_;
  std::vector<Bytes> complete_;
  int come_ = 0;
  int round_ = 0;
};

std::unique_ptr<Transport> make_room_transport(std::shared_ptr<Room> room, int rank);

// Runs `body` as each rank and rethrows the first exception, by rank, that no rank caught.
void as_ranks(int size, const std::function<void(Transport&)>& body);
void as_ranks(const std::shared_ptr<Room>& room, const std::function<void(Transport&)>& body);

}  // namespace muster::worker
