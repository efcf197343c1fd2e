// A relay between the ranks and rank 0 that forwards what they send each other, changed or not.
#pragma once

#include "loopback_ranks.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>

namespace muster::worker::tcp {

class Relay {
 public:
  // Called with the result of one read: a short frame arrives whole.
  using Change = std::function<void(bool to_rank_0, std::string& bytes)>;

  // `port`: rank 0's.
  Relay(std::uint16_t port, Change change);
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;
  ~Relay();

  std::uint16_t port() const { return port_.number(); }

 private:
  void serve();
  // False once one end has closed.
  bool pass_on(const Socket& from, const Socket& to, bool to_rank_0) const;

  std::uint16_t rank_0_;
  Change change_;
  HeldPort port_;
  std::atomic<bool> over_ = false;
  std::thread thread_;
};

}  // namespace muster::worker::tcp
