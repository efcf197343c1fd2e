// All connections of rank 0: by descriptor, and by rank once a connection has proved the key. Waits
// for all of them at once.
#pragma once

#include "worker/tcp/connection.hpp"

#include <memory>
#include <unordered_map>
#include <vector>

namespace muster::worker::tcp {

class Connections {
 public:
  using Time = Connection::Time;

  // For a step of so many ranks. Throws Error.
  explicit Connections(std::uint32_t size);

  // NULL where the kernel cannot watch one more; it is closed then.
  Connection* add(Accepted&& accepted, const Terms& terms, Time now);
  Connection* find(int fd);
  // Closes it. A rank that it was is not connected any more.
  void remove(Connection& connection);

  // By rank; NULL for rank 0 and where it is not connected.
  Connection* of_rank(std::size_t rank) { return by_rank_[rank]; }
  const Connection* of_rank(std::size_t rank) const { return by_rank_[rank]; }
  // `connection.rank` says which it is.
  void enter_as_rank(Connection& connection);
  // Ranks that have ever connected.
  std::size_t entered() const { return entered_; }
  std::size_t size() const { return by_rank_.size(); }
  std::size_t expected() const { return by_rank_.size() - 1; }

  // Another descriptor to wait for beside the connections'. False with errno.
  bool watch(int fd);
  void unwatch(int fd);
  // The descriptors that can be read, as soon as there is one; none when it is `until`. Throws
  // Error, which begins with `what`.
  std::vector<int> wait(Time until, const std::string& what);

  // Never blocks: what a peer has no room for it does not get.
  void send_to_ranks(View frame);

 private:
  Socket poller_;
  std::unordered_map<int, std::unique_ptr<Connection>> by_fd_;
  std::vector<Connection*> by_rank_;
  std::size_t entered_ = 0;
};

// To a peer that has proved the key. Never blocks, as above.
void send_sealed(Connection& connection, View frame);

// "rank 3 (node1)".
std::string rank_name(const Connection& connection);

}  // namespace muster::worker::tcp
