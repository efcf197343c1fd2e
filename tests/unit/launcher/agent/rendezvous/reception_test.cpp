#include "launcher/agent/rendezvous/reception.hpp"

#include "leader_double.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/socket.h>

namespace muster::rendezvous {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

constexpr std::size_t passing = 4;

// What the leader has done about one connection.
struct Stranger {
  os::Descriptor socket;
  bool challenged = false;
  bool dropped = false;

  void look() {
    char bytes[256];
    while (!dropped) {
      const auto size = recv(socket.get(), bytes, sizeof bytes, MSG_DONTWAIT);
      if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
      challenged = challenged || size > 0;
      dropped = size <= 0;
    }
  }
};

// At each moment, first which connections are challenged, then which are dropped. So none counts that has
// made room for another.
std::size_t count_open(std::vector<Stranger>& strangers) {
  for (auto& each : strangers) each.look();
  std::vector<const Stranger*> challenged;
  for (const auto& each : strangers) {
    if (each.challenged) challenged.push_back(&each);
  }
  for (auto& each : strangers) each.look();
  return static_cast<std::size_t>(
      std::ranges::count_if(challenged, [](const auto* each) { return !each->dropped; }));
}

TEST(Reception, HearsOnlySoManyThatProveNothingAtOnceAndEachInItsTurn) {
  const LeaderDouble leader(secret::make_key(), 2, 1, passing);
  std::vector<Stranger> strangers(3 * passing);
  for (auto& each : strangers) each.socket = fixtures::client(leader.port());
  const auto until = steady_clock::now() + 30s;
  const auto all_heard = [&] {
    return std::ranges::all_of(strangers, [](const auto& each) { return each.challenged; });
  };
  while (!all_heard() && steady_clock::now() < until) {
    ASSERT_LE(count_open(strangers), passing);
    std::this_thread::sleep_for(1ms);
  }
  EXPECT_TRUE(all_heard());
}

}  // namespace
}  // namespace muster::rendezvous
