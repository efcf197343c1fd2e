#include "launcher/tools/preflight/measure.hpp"

#include "core/error.hpp"
#include "core/record/record.hpp"
#include "fixtures/expect_error.hpp"
#include "launcher/channel/listener.hpp"
#include "launcher/channel/timed.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

namespace muster::preflight {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds patience{2000};
constexpr Bounds bounds{.meet = patience,
                        .messages = milliseconds{600},
                        .message_count = 200,
                        .stream = milliseconds{50},
                        .stream_bytes = std::size_t{4} << 20};

// The waiting end, in a separate thread.
class Waiting {
 public:
  Waiting(const secret::Key& key, std::uint32_t test, std::function<void(Meeting&)> work)
      : listener_(channel::listen(std::vector<std::uint16_t>())),
        thread_([this, key, test, work = std::move(work)] {
          try {
            auto meeting =
                accept_on(listener_.socket, listener_.v6, {.number = test}, key, patience);
            work(meeting);
          } catch (const std::exception& error) {
            failure = error.what();
          }
        }) {}
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;
  ~Waiting() { join(); }

  void join() {
    if (thread_.joinable()) thread_.join();
  }
  [[nodiscard]] TestOrder order(std::uint32_t test) const {
    return {.number = test, .connects = true, .partner = {listener_.port, {"127.0.0.1"}}};
  }
  [[nodiscard]] std::uint16_t port() const { return listener_.port; }

  std::string failure;

 private:
  channel::Listener listener_;
  std::thread thread_;
};

class Stranger {
 public:
  explicit Stranger(std::uint16_t port) : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_port = htons(port);
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connect(socket_, reinterpret_cast<const sockaddr*>(&place), sizeof place);
  }
  Stranger(const Stranger&) = delete;
  Stranger& operator=(const Stranger&) = delete;
  ~Stranger() { close(socket_); }
  void say(const std::string& text) const { send(socket_, text.data(), text.size(), MSG_NOSIGNAL); }

 private:
  int socket_;
};

TEST(Test, OfTwoNodesMeasuresLatencyAndBandwidth) {
  const auto key = secret::make_key();
  Waiting other(key, 7, [](Meeting& meeting) { answer(meeting, bounds); });
  auto meeting = connect_to(other.order(7), key, patience);
  const auto found = measure(meeting, bounds);
  other.join();
  EXPECT_EQ(other.failure, "");
  EXPECT_GT(found.latency, 0);
  EXPECT_GE(found.mean, found.latency / 2);
  EXPECT_GT(found.bandwidth, 0);
}

TEST(Test, IsRefusedToWhoeverHasAnotherKeyOrComesForAnotherTest) {
  const auto key = secret::make_key();
  for (const bool other_key : {true, false}) {
    Waiting other(key, 7, [](Meeting&) {});
    EXPECT_THROW(connect_to(other.order(other_key ? 7 : 8), other_key ? secret::make_key() : key,
                            milliseconds{500}),
                 Error);
    auto meeting = connect_to(other.order(7), key, patience);  // it still waits for the right one
    other.join();
    EXPECT_EQ(other.failure, "");
  }
}

TEST(Test, IsReachedBesideStrangersThatSayNothingOrTooMuch) {
  const auto key = secret::make_key();
  Waiting other(key, 7, [](Meeting& meeting) { answer(meeting, bounds); });
  const Stranger silent(other.port());
  const Stranger loud(other.port());
  loud.say(std::string(100000, '\xff'));
  auto meeting = connect_to(other.order(7), key, patience);
  EXPECT_GT(measure(meeting, bounds).bandwidth, 0);
}

TEST(Test, WithANodeThatIsNotThereEndsInTime) {
  const auto began = Clock::now();
  const TestOrder order{.number = 1, .connects = true, .partner = {1, {"127.0.0.1"}}};
  EXPECT_THROW(connect_to(order, secret::make_key(), milliseconds{300}), Error);
  const auto listener = channel::listen(std::vector<std::uint16_t>());
  EXPECT_THROW(
      accept_on(listener.socket, listener.v6, order, secret::make_key(), milliseconds{300}), Error);
  EXPECT_LT(Clock::now() - began, std::chrono::seconds(5));
}

TEST(Test, EndsInTimeWhereTheOtherEndStopsAtAnyPoint) {
  const auto key = secret::make_key();
  const auto sleep = [](Meeting&) { std::this_thread::sleep_for(milliseconds{1500}); };
  {
    Waiting other(key, 7, sleep);
    auto meeting = connect_to(other.order(7), key, patience);
    EXPECT_THROW(measure(meeting, bounds), Error);
  }
  {
    Waiting other(key, 7, [](Meeting& meeting) { answer(meeting, bounds); });
    auto meeting = connect_to(other.order(7), key, patience);
    meeting.socket->close();
    other.join();
    EXPECT_NE(other.failure, "");
  }
}

// The fields that one end tells the other after a stream, and a list of another version.
struct Result {
  double bandwidth = 1.5;
  std::uint32_t retransmitted = 0;
  bool whole = false;
};
template <class Io>
void fields(Io& io, Result& result) {
  io(result.bandwidth, figure)(result.retransmitted)(result.whole);
}
struct NewerResult : Result {
  std::uint32_t more = 0;
};
template <class Io>
void fields(Io& io, NewerResult& result) {
  fields(io, static_cast<Result&>(result));
  io(result.more);
}

// The waiting end's part, with this result.
void answer_with(Meeting& meeting, const std::string& result) {
  std::array<char, 8> message{};
  const int socket = meeting.socket->native_handle();
  meeting.socket->native_non_blocking(false);
  do {
    if (recv(socket, message.data(), message.size(), MSG_WAITALL) <= 0) return;
    send(socket, message.data(), message.size(), MSG_NOSIGNAL);
  } while (message[6] != '.');
  const auto say = [&]() -> asio::awaitable<bool> {
    co_await channel::send_message(*meeting.socket, meeting.proof, "preflight result", result);
    co_return true;
  };
  meeting.io->restart();
  channel::run_to_end(*meeting.io, say());
  meeting.socket->native_non_blocking(false);
  while (recv(socket, message.data(), message.size(), 0) > 0) continue;
}

Measure measure_with(const std::string& result) {
  constexpr Bounds small{.meet = patience,
                         .messages = milliseconds{600},
                         .message_count = 5,
                         .stream = milliseconds{1},
                         .stream_bytes = 1};
  const auto key = secret::make_key();
  Waiting other(key, 7, [&](Meeting& meeting) { answer_with(meeting, result); });
  auto meeting = connect_to(other.order(7), key, patience);
  return measure(meeting, small);
}

TEST(Test, RefusesAResultThatIsTruncatedOrFromAnotherVersion) {
  const auto text = record::write(Result());
  EXPECT_EQ(measure_with(text).bandwidth, 1.5);
  std::vector<std::string> wrong{text + "0 ", '1' + text, record::write(NewerResult())};
  for (std::size_t size = 0; size < text.size(); ++size) wrong.push_back(text.substr(0, size));
  for (const auto& result : wrong)
    fixtures::expect_error([&] { measure_with(result); }, "a malformed result");
}

TEST(Work, OfACpuIsAFigureAboveZero) {
  EXPECT_GT(work_of_cpu(), 1);
}

}  // namespace
}  // namespace muster::preflight
