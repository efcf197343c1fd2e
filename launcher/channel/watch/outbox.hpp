// Messages that a connection may not have delivered to the supervisor. An answered beat proves that
// everything written before it on the same connection has arrived; the rest is written again on the next
// connection.
#pragma once

#include "launcher/channel/watch/events.hpp"

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <string>

namespace muster::watch {

class Outbox {
 public:
  // Makes room for the ends of this many ranks, and for a few other messages.
  void make_room(std::size_t ranks);

  // The message's text, valid until the next call; nullptr if there is no room for it. Only a
  // node's first failures keep their long texts.
  const std::string* add(FromAgent event);

  // The added message has been written.
  void written() { ++written_; }
  [[nodiscard]] bool all_written() const { return written_ == messages_.size(); }

  // Call it on a new connection: writes everything that may have been lost.
  void connected(const std::function<void(const std::string&)>& write);

  // Call it when a beat was written or answered. False if the answer belongs to no beat of this connection.
  void beat(std::chrono::nanoseconds sent);
  bool answered(std::chrono::nanoseconds sent);

 private:
  struct Beaten {
    std::chrono::nanoseconds sent;
    std::size_t heard;  // how many messages have arrived in total if this beat is answered
  };

  std::size_t room_ = 0;
  std::size_t texts_ = 0;
  std::deque<std::string> messages_;
  std::size_t written_ = 0;  // how many of them have been written on this connection
  std::size_t heard_ = 0;    // messages that have been delivered and dropped
  std::deque<Beaten> beats_;
};

}  // namespace muster::watch
