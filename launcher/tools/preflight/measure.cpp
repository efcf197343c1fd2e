#include "launcher/tools/preflight/measure.hpp"

#include "core/error.hpp"
#include "core/record/record.hpp"
#include "core/text/amounts.hpp"
#include "launcher/channel/timed.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <vector>

#include <asio/steady_timer.hpp>
#include <fmt/format.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

namespace muster::preflight {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::size_t message_bytes = 8;
constexpr std::size_t chunk_bytes = 65536;
constexpr unsigned char goes_on = 1;
constexpr unsigned char is_last = 0;
constexpr std::uint32_t least_messages = 5;
constexpr milliseconds time_for_last_words{500};

using Message = std::array<unsigned char, message_bytes>;
constexpr Message ping{'m', 'u', 's', 't', 'e', 'r', '?', 0};
constexpr Message over{'m', 'u', 's', 't', 'e', 'r', '.', 0};

bool is_ready(int socket, short events, Clock::time_point deadline) {
  pollfd ready{socket, events, 0};
  while (true) {
    const auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    const int count = poll(&ready, 1, static_cast<int>(left));
    if (count < 0 && errno == EINTR) continue;
    return count > 0;
  }
}

// Returns how many bytes were moved; 0 once time is up.
template <class Move>
std::size_t move_some(int socket, short events, Clock::time_point deadline, Move move) {
  while (true) {
    const auto size = move();
    if (size > 0) return static_cast<std::size_t>(size);
    if (size == 0) throw Error("the other node closed the connection");
    if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)
      throw Error(std::strerror(errno));
    if (errno != EINTR && !is_ready(socket, events, deadline)) return 0;
  }
}

bool send_all(int socket, const void* data, std::size_t bytes, Clock::time_point deadline) {
  const auto* next = static_cast<const unsigned char*>(data);
  while (bytes > 0) {
    const auto size = move_some(socket, POLLOUT, deadline, [&] {
      return send(socket, next, bytes, MSG_DONTWAIT | MSG_NOSIGNAL);
    });
    if (size == 0) return false;
    next += size;
    bytes -= size;
  }
  return true;
}

bool receive_all(int socket, void* data, std::size_t bytes, Clock::time_point deadline) {
  auto* next = static_cast<unsigned char*>(data);
  while (bytes > 0) {
    const auto size = move_some(socket, POLLIN, deadline,
                                [&] { return recv(socket, next, bytes, MSG_DONTWAIT); });
    if (size == 0) return false;
    next += size;
    bytes -= size;
  }
  return true;
}

std::uint32_t retransmitted(int socket) {
  tcp_info info{};
  socklen_t size = sizeof info;
  if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return 0;
  return info.tcpi_total_retrans;
}

double microseconds_between(Clock::time_point begin, Clock::time_point end) {
  return std::chrono::duration<double, std::micro>(end - begin).count();
}

// Fills in latency, mean, and the number of retransmissions by this end.
Measure send_messages(int socket, const Bounds& bounds) {
  const auto begin = Clock::now();
  const auto deadline = begin + bounds.messages;
  std::vector<double> times;
  bool in_time = true;
  while (in_time && times.size() < bounds.message_count) {
    const auto sent = Clock::now();
    Message back{};
    in_time = send_all(socket, ping.data(), ping.size(), deadline) &&
              receive_all(socket, back.data(), back.size(), deadline);
    if (in_time) times.push_back(microseconds_between(sent, Clock::now()));
  }
  const auto end = Clock::now();
  if (times.size() < least_messages)
    throw Error(
        fmt::format("{} came back within {} ms",
                    times.empty() ? "no messages" : "only " + text::count(times.size(), "message"),
                    bounds.messages.count()));
  Measure measure;
  measure.mean = microseconds_between(begin, end) / static_cast<double>(times.size());
  const auto quarter = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 4);
  std::ranges::nth_element(times, quarter);
  measure.latency = *quarter;
  measure.retransmitted = retransmitted(socket);
  return measure;
}

// Sends the message that ends the exchange; messages still in flight arrive before its answer.
void end_messages(int socket, const Bounds& bounds) {
  const auto deadline = Clock::now() + bounds.messages;
  Message back{};
  if (!send_all(socket, over.data(), over.size(), deadline)) throw Error("it stopped reading");
  while (back != over) {
    if (!receive_all(socket, back.data(), back.size(), deadline))
      throw Error("it stopped answering");
  }
}

void answer_messages(int socket, const Bounds& bounds) {
  const auto deadline = Clock::now() + 2 * bounds.messages;
  Message message{};
  while (message != over) {
    if (!receive_all(socket, message.data(), message.size(), deadline) ||
        !send_all(socket, message.data(), message.size(), deadline)) {
      throw Error("no messages arrived");
    }
  }
}

// The other end may have stopped reading because its time was up; there is then nothing more to send.
bool send_stream(int socket, const Bounds& bounds) {
  const auto until = Clock::now() + bounds.stream;
  const auto deadline = until + stream_timeout;
  std::vector<unsigned char> chunk(chunk_bytes, 'm');
  std::size_t sent = 0;
  while (true) {
    sent += chunk_bytes;
    const bool last = Clock::now() >= until || sent + chunk_bytes > bounds.stream_bytes;
    chunk.front() = last ? is_last : goes_on;
    if (!send_all(socket, chunk.data(), chunk.size(), deadline)) return false;
    if (last) return true;
  }
}

struct Stream {
  double bandwidth = 0;
  bool whole = false;
};

Stream receive_stream(int socket, const Bounds& bounds) {
  const auto begin = Clock::now();
  const auto deadline = begin + bounds.stream + stream_timeout;
  std::vector<unsigned char> buffer(4 * chunk_bytes);
  std::size_t received = 0;
  Clock::time_point first = begin;
  bool last = false;
  while (true) {
    const auto size = move_some(socket, POLLIN, deadline, [&] {
      return recv(socket, buffer.data(), buffer.size(), MSG_DONTWAIT);
    });
    const auto now = Clock::now();
    if (received == 0) first = now;
    // The first byte of each chunk says whether another chunk follows.
    for (auto next = (chunk_bytes - received % chunk_bytes) % chunk_bytes; next < size;
         next += chunk_bytes) {
      last = buffer[next] == is_last;
    }
    received += size;
    const bool whole = last && received % chunk_bytes == 0;
    if (size > 0 && !whole && received <= bounds.stream_bytes + chunk_bytes) continue;
    // Bytes returned by the first read took no time.
    const auto time = std::max(microseconds_between(std::min(first, now), now), 1.0);
    return {static_cast<double>(received) * 1e6 / time, whole};
  }
}

// Runs in the meeting's io_context, under a deadline.
template <class T>
T converse(Meeting& meeting, asio::awaitable<T> (*talk)(Meeting&, std::string), std::string text) {
  const auto timed = [&]() -> asio::awaitable<T> {
    asio::steady_timer limit(*meeting.io, time_for_last_words);
    auto value = co_await channel::before(limit, talk(meeting, std::move(text)));
    if (!value) throw Error("no answer after the bandwidth test");
    co_return std::move(*value);
  };
  meeting.io->restart();
  try {
    return channel::run_to_end(*meeting.io, timed());
  } catch (const std::system_error& error) {
    throw Error(error.code().message());
  } catch (const channel::Unauthenticated&) {
    throw Error("a forged message");
  }
}

asio::awaitable<bool> say_result(Meeting& meeting, std::string text) {
  co_await channel::send_message(*meeting.socket, meeting.proof, "preflight result",
                                 std::move(text));
  co_return true;
}

asio::awaitable<std::string> hear_result(Meeting& meeting, std::string /*text*/) {
  co_return co_await channel::receive_message(*meeting.socket, meeting.proof, "preflight result");
}

// What the other end measured for a stream.
struct StreamResult {
  double bandwidth = 0;
  std::uint32_t retransmitted = 0;
  bool whole = false;
};
template <class Io>
void fields(Io& io, StreamResult& result) {
  io(result.bandwidth, figure)(result.retransmitted)(result.whole);
}

StreamResult result_of(const std::string& text) {
  const auto result = record::read<StreamResult>(text);
  if (!result) throw Error("a malformed result");
  return *result;
}

}  // namespace

Measure measure(Meeting& meeting, const Bounds& bounds) {
  const int socket = meeting.socket->native_handle();
  auto found = send_messages(socket, bounds);
  end_messages(socket, bounds);
  send_stream(socket, bounds);
  const auto theirs = result_of(converse(meeting, hear_result, {}));
  found.retransmitted += theirs.retransmitted;
  found.bandwidth = theirs.bandwidth;
  if (theirs.whole) {
    found.bandwidth = std::min(found.bandwidth, receive_stream(socket, bounds).bandwidth);
  }
  return found;
}

void answer(Meeting& meeting, const Bounds& bounds) {
  const int socket = meeting.socket->native_handle();
  answer_messages(socket, bounds);
  const auto lost = retransmitted(socket);
  const auto stream = receive_stream(socket, bounds);
  converse(meeting, say_result, record::write(StreamResult{stream.bandwidth, lost, stream.whole}));
  if (stream.whole) send_stream(socket, bounds);
}

double work_of_cpu() {
  constexpr std::uint32_t steps = 20000;
  constexpr double least_time = 3000;  // microseconds
  const auto cpu_time = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) / 1e3;
  };
  const auto begin = cpu_time();
  double done = 0;
  double time = 0;
  std::uint64_t state = 1;
  while (time < least_time) {
    for (std::uint32_t i = 0; i < steps; ++i)
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    // Uses the result, so that the compiler does not remove the loop.
    asm volatile("" : : "r"(state));
    done += steps;
    time = cpu_time() - begin;
  }
  return done / time;
}

}  // namespace muster::preflight
