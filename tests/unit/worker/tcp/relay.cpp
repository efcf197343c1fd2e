#include "relay.hpp"

#include <array>
#include <utility>
#include <vector>

#include <poll.h>

namespace muster::worker::tcp {
namespace {

using namespace std::chrono_literals;

struct Pair {
  Socket rank;
  Socket rank_0;
};

}  // namespace

Relay::Relay(std::uint16_t port, Change change)
    : rank_0_(port), change_(std::move(change)), thread_([this] { serve(); }) {}

Relay::~Relay() {
  over_ = true;
  thread_.join();
}

void Relay::serve() {
  const auto listener = listen_at(port(), "a test");
  std::vector<Pair> pairs;
  while (!over_) {
    std::vector<pollfd> polled{{listener.fd(), POLLIN, 0}};
    for (const auto& pair : pairs) {
      polled.push_back({pair.rank.fd(), POLLIN, 0});
      polled.push_back({pair.rank_0.fd(), POLLIN, 0});
    }
    poll(polled.data(), polled.size(), 20);
    std::erase_if(pairs, [&](const Pair& pair) {
      return !pass_on(pair.rank, pair.rank_0, true) || !pass_on(pair.rank_0, pair.rank, false);
    });
    if (auto rank = accept_one(listener).socket) pairs.push_back({std::move(rank), knock(rank_0_)});
  }
}

bool Relay::pass_on(const Socket& from, const Socket& to, bool to_rank_0) const {
  std::array<std::byte, 65536> buffer;
  const auto moved = receive(from, buffer);
  if (moved.flow == Flow::later) return true;
  if (moved.flow != Flow::some) return false;
  std::string bytes{reinterpret_cast<const char*>(buffer.data()), moved.bytes};
  change_(to_rank_0, bytes);
  wait_for(to, Wish::write, Deadline::Clock::now() + 5s);
  return send(to, bytes_of(bytes)).bytes == bytes.size();
}

}  // namespace muster::worker::tcp
