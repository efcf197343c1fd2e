#include "launcher/agent/rendezvous/find_leader.hpp"

#include "core/layout/layout.hpp"
#include "leader_double.hpp"

#include <array>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

namespace muster::rendezvous {
namespace {

// Moves what has arrived from one socket to the other; empty once it is closed.
std::string pass_on(int from, int to) {
  std::array<char, 4096> bytes;
  const auto size = recv(from, bytes.data(), bytes.size(), 0);
  if (size <= 0) return {};
  const std::string text(bytes.data(), static_cast<std::size_t>(size));
  if (to >= 0) send(to, text.data(), text.size(), MSG_NOSIGNAL);
  return text;
}

// Serves one connection in a separate thread.
class Server {
 public:
  explicit Server(std::function<void(int)> serve)
      : port_(fixtures::free_port()),
        listener_(fixtures::server(port_, true)),
        thread_([this, serve = std::move(serve)] {
          const os::Descriptor peer(accept(listener_.get(), nullptr, nullptr));
          if (peer) serve(peer.get());
        }) {}
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server() {
    shutdown(listener_.get(), SHUT_RDWR);
    thread_.join();
  }

  [[nodiscard]] Port port() const { return port_; }

 private:
  Port port_;
  os::Descriptor listener_;
  std::thread thread_;
};

class FindLeader : public testing::Test {
 protected:
  // Whether the leader is found there. `stall`: how long this process is stopped meanwhile.
  bool reaches(Port port, milliseconds stall = {}) {
    asio::io_context io{1};
    LeaderSearch search(io, inputs_, ports_, {});
    const Offer offer{.port = port, .addresses = {asio::ip::make_address("127.0.0.1")}, .came = {}};
    bool reached = false;
    asio::co_spawn(
        io,
        [&]() -> asio::awaitable<void> {
          const auto errors = co_await search.reach(offer);
          reached = !errors.at(0);
        },
        asio::detached);
    if (stall > milliseconds{0}) {
      io.run_for(milliseconds{100});
      std::this_thread::sleep_for(stall);
    }
    io.run();
    return reached;
  }

  secret::Key key_ = secret::make_key();
  layout::Layout layout_{{"node0", "node1"}, {0, 1}, ""};
  RendezvousInputs inputs_{.key = key_,
                           .layout = layout_,
                           .node = 1,
                           .deadline = Clock::now() + std::chrono::seconds{20},
                           .supervisor = {}};
  std::vector<Port> ports_;
  LeaderDouble leader_{key_, 2, 1, 16};
};

TEST_F(FindLeader, TakesNoRecordingForTheLeader) {
  std::string recorded;
  {
    const Server between([&](int member) {
      const auto leader = fixtures::client(leader_.port());
      std::array<pollfd, 2> ends{{{member, POLLIN, 0}, {leader.get(), POLLIN, 0}}};
      while (poll(ends.data(), ends.size(), 5000) > 0) {
        if (ends[0].revents != 0 && pass_on(member, leader.get()).empty()) return;
        if (ends[1].revents == 0) continue;
        const auto said = pass_on(leader.get(), member);
        if (said.empty()) return;
        recorded += said;
      }
    });
    EXPECT_TRUE(reaches(between.port())) << "who only passes on what the leader says";
  }
  const Server player([&](int member) {
    send(member, recorded.data(), recorded.size(), MSG_NOSIGNAL);
    while (!pass_on(member, -1).empty()) {
    }
  });
  EXPECT_FALSE(reaches(player.port()));
}

// All of its timeouts have expired when it continues, in any order.
TEST_F(FindLeader, TakesNoSilenceForAnAnswerAfterAStall) {
  const Server silent([](int member) {
    while (!pass_on(member, -1).empty()) {
    }
  });
  EXPECT_FALSE(reaches(silent.port(), milliseconds{3300}));
}

}  // namespace
}  // namespace muster::rendezvous
