#include "wire/frames.hpp"

#include "fixtures/allocation_meter.hpp"

#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

namespace muster::wire {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

class Pair {
 public:
  Pair() {
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends_.data()) != 0) {
      ADD_FAILURE() << "no socket pair";
    }
  }
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;
  ~Pair() {
    close(ends_[0]);
    close_peer();
  }

  int ours() const { return ends_[0]; }
  int peer() const { return ends_[1]; }
  void close_peer() {
    if (ends_[1] >= 0) close(ends_[1]);
    ends_[1] = -1;
  }
  void peer_writes(const std::string& bytes) const {
    ASSERT_EQ(write(peer(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }

 private:
  std::array<int, 2> ends_{-1, -1};
};

Deadline in(milliseconds time) {
  return steady_clock::now() + time;
}

// The bytes that are sent for a frame.
std::string raw_frame(Kind kind, const std::string& payload) {
  const Pair pair;
  EXPECT_EQ(send_frame(pair.ours(), kind, payload, in(milliseconds{1000})), PipeStatus::ok);
  std::string bytes(payload.size() + 64, '\0');
  const auto size = read(pair.peer(), bytes.data(), bytes.size());
  bytes.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return bytes;
}

std::string with_length(std::string frame, std::uint32_t length) {
  std::memcpy(frame.data() + 2 * sizeof length, &length, sizeof length);
  return frame;
}

TEST(Pipe, CarriesFramesInOrder) {
  const Pair pair;
  for (const std::string payload : {"first", "", "third"}) {
    ASSERT_EQ(send_frame(pair.ours(), Kind::plan, payload, in(milliseconds{1000})), PipeStatus::ok);
  }
  for (const std::string payload : {"first", "", "third"}) {
    const auto frame = receive_frame(pair.peer(), in(milliseconds{1000}));
    ASSERT_EQ(frame.status, PipeStatus::ok);
    EXPECT_EQ(frame.kind, Kind::plan);
    EXPECT_EQ(frame.payload, payload);
  }
}

TEST(Pipe, CarriesAFrameLargerThanTheSocketsBuffer) {
  const Pair pair;
  std::string payload(max_frame_bytes, 'x');
  payload.back() = 'y';
  std::thread sender([&] {
    EXPECT_EQ(send_frame(pair.peer(), Kind::facts, payload, in(milliseconds{20'000})),
              PipeStatus::ok);
  });
  const auto frame = receive_frame(pair.ours(), in(milliseconds{20'000}));
  sender.join();
  EXPECT_EQ(frame.status, PipeStatus::ok);
  EXPECT_EQ(frame.payload, payload);
}

TEST(Pipe, SendsNothingOfAFrameThatIsTooLarge) {
  const Pair pair;
  EXPECT_EQ(send_frame(pair.ours(), Kind::facts, std::string(max_frame_bytes + 1, 'x'),
                       in(milliseconds{1000})),
            PipeStatus::malformed);
  EXPECT_EQ(receive_frame(pair.peer(), in(milliseconds{0})).status, PipeStatus::timeout);
}

TEST(Pipe, HonoursItsDeadlineWhenThePeerSaysNothing) {
  const Pair pair;
  const auto start = steady_clock::now();
  EXPECT_EQ(receive_frame(pair.ours(), in(milliseconds{50})).status, PipeStatus::timeout);
  const auto waited = steady_clock::now() - start;
  EXPECT_GE(waited, milliseconds{50});
  EXPECT_LT(waited, milliseconds{2000});
}

TEST(Pipe, HonoursItsDeadlineWhenThePeerStopsInTheMiddle) {
  const auto frame = raw_frame(Kind::plan, "payload");
  for (const std::size_t size : {std::size_t{1}, std::size_t{12}, frame.size() - 1}) {
    const Pair pair;
    pair.peer_writes(frame.substr(0, size));
    EXPECT_EQ(receive_frame(pair.ours(), in(milliseconds{20})).status, PipeStatus::timeout) << size;
  }
}

TEST(Pipe, HonoursItsDeadlineWhenThePeerReadsNothing) {
  const Pair pair;
  const auto start = steady_clock::now();
  EXPECT_EQ(send_frame(pair.ours(), Kind::plan, std::string(8'000'000, 'x'), in(milliseconds{50})),
            PipeStatus::timeout);
  EXPECT_LT(steady_clock::now() - start, milliseconds{5000});
}

TEST(Pipe, HonoursOneDeadlineForAllBytesTogether) {
  const auto frame = raw_frame(Kind::plan, std::string(200, 'x'));
  const Pair pair;
  std::thread slow([&] {
    for (const char byte : frame) {
      std::this_thread::sleep_for(milliseconds{5});
      if (send(pair.peer(), &byte, 1, MSG_NOSIGNAL) != 1) return;
    }
  });
  const auto start = steady_clock::now();
  EXPECT_EQ(receive_frame(pair.ours(), in(milliseconds{100})).status, PipeStatus::timeout);
  EXPECT_LT(steady_clock::now() - start, milliseconds{900});
  shutdown(pair.ours(), SHUT_RDWR);
  slow.join();
}

TEST(Pipe, PutsTogetherWhatComesByteByByte) {
  const auto frame = raw_frame(Kind::refusal, "no such network");
  const Pair pair;
  std::thread slow([&] {
    for (const char byte : frame) {
      pair.peer_writes(std::string(1, byte));
      std::this_thread::sleep_for(milliseconds{1});
    }
  });
  const auto received = receive_frame(pair.ours(), in(milliseconds{10'000}));
  slow.join();
  EXPECT_EQ(received.status, PipeStatus::ok);
  EXPECT_EQ(received.kind, Kind::refusal);
  EXPECT_EQ(received.payload, "no such network");
}

TEST(Pipe, SaysThatThePeerIsGone) {
  Pair pair;
  pair.close_peer();
  EXPECT_EQ(receive_frame(pair.ours(), in(milliseconds{1000})).status, PipeStatus::closed);
  EXPECT_EQ(send_frame(pair.ours(), Kind::plan, "x", in(milliseconds{1000})), PipeStatus::closed);
}

TEST(Pipe, SaysThatThePeerWentInTheMiddle) {
  const auto frame = raw_frame(Kind::plan, "payload");
  for (const std::size_t size : {std::size_t{1}, std::size_t{12}, frame.size() - 1}) {
    Pair pair;
    pair.peer_writes(frame.substr(0, size));
    pair.close_peer();
    EXPECT_EQ(receive_frame(pair.ours(), in(milliseconds{1000})).status, PipeStatus::closed);
  }
}

TEST(Pipe, RefusesAHeaderThatPromisesTooMuch) {
  const auto frame = raw_frame(Kind::plan, "payload");
  for (const std::uint32_t length :
       {static_cast<std::uint32_t>(max_frame_bytes) + 1, 0x80000000U, 0xFFFFFFFFU}) {
    const Pair pair;
    pair.peer_writes(with_length(frame, length));
    EXPECT_EQ(receive_frame(pair.ours(), in(milliseconds{1000})).status, PipeStatus::malformed);
  }
}

// The agent is the user's process; the reader is root's slurmstepd.
TEST(Pipe, TakesMemoryForBytesThatHaveComeOnly) {
  Pair pair;
  pair.peer_writes(with_length(raw_frame(Kind::plan, "a few bytes"), max_frame_bytes));
  pair.close_peer();
  const fixtures::AllocationMeter meter;
  EXPECT_EQ(receive_frame(pair.ours(), in(milliseconds{1000})).status, PipeStatus::closed);
  EXPECT_LT(meter.bytes(), 65536U);
}

TEST(Pipe, RefusesWhatIsNoFrame) {
  const Pair pair;
  pair.peer_writes("HTTP/1.1 400 Bad Request\r\n");
  EXPECT_EQ(receive_frame(pair.ours(), in(milliseconds{1000})).status, PipeStatus::malformed);
}

TEST(Pipe, SaysThatADescriptorIsNoSocket) {
  EXPECT_EQ(send_frame(-1, Kind::plan, "x", in(milliseconds{10})), PipeStatus::failed);
  EXPECT_NE(receive_frame(-1, in(milliseconds{10})).status, PipeStatus::ok);
}

TEST(Pipe, KeepsWaitingWhenASignalArrives) {
  struct sigaction action {};
  action.sa_handler = [](int) {};
  struct sigaction before {};
  sigaction(SIGUSR1, &action, &before);
  const Pair pair;
  const auto waiting = pthread_self();
  std::thread other([&] {
    for (int i = 0; i < 5; ++i) {
      std::this_thread::sleep_for(milliseconds{10});
      pthread_kill(waiting, SIGUSR1);
    }
    send_frame(pair.peer(), Kind::plan, "late", in(milliseconds{1000}));
  });
  EXPECT_EQ(receive_frame(pair.ours(), in(milliseconds{10'000})).payload, "late");
  other.join();
  sigaction(SIGUSR1, &before, nullptr);
}

}  // namespace
}  // namespace muster::wire
