// All connections of rank 0: by descriptor, and by rank once a connection has proved the key. Waits for all
// of them together.
#pragma once

#include "worker/tcp/connection.hpp"

#include <memory>
#include <unordered_map>
#include <vector>

namespace muster::worker::tcp {

class Connections {
 public:
  using Time = Connection::Time;

  // For a step with this many ranks. Throws Error.
  explicit Connections(std::uint32_t size);

  // NULL if the kernel cannot watch another connection; the connection is then closed.
  Connection* add(Accepted&& accepted, const Terms& terms, Time now);
  Connection* find(int fd);
  // Closes it. The rank that it belonged to is no longer connected.
  void remove(Connection& connection);

  // The connection of a rank; NULL for rank 0, and for a rank that is not connected.
  Connection* of_rank(std::size_t rank) { return by_rank_[rank]; }
  const Connection* of_rank(std::size_t rank) const { return by_rank_[rank]; }
  // `connection.rank` must be set.
  void enter_as_rank(Connection& connection);
  // How many ranks have ever connected.
  std::size_t entered() const { return entered_; }
  std::size_t size() const { return by_rank_.size(); }
  std::size_t expected() const { return by_rank_.size() - 1; }

  // Another descriptor to wait for, besides the connections'. Returns false and sets errno on failure.
  bool watch(int fd);
  void unwatch(int fd);
  // Returns the readable descriptors as soon as there is one; none if the time `until` passes first. Throws
  // Error, which begins with `what`.
  std::vector<int> wait(Time until, const std::string& what);

  // Never blocks: drops what a peer has no room for.
  void send_to_ranks(View frame);

 private:
  Socket poller_;
  std::unordered_map<int, std::unique_ptr<Connection>> by_fd_;
  std::vector<Connection*> by_rank_;
  std::size_t entered_ = 0;
};

// Sends to a peer that has proved the key. Never blocks, as above.
void send_sealed(Connection& connection, View frame);

// "rank 3 (node1)".
std::string rank_name(const Connection& connection);

}  // namespace muster::worker::tcp
