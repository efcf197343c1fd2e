// What a rank of the worker library receives from rank 0, over a real connection, after rank 0 has proved
// that it has the key: the answer to one phase.
#include "target.hpp"
#include "worker/error.hpp"
#include "worker/tcp/client.hpp"

#include <array>
#include <mutex>
#include <span>
#include <thread>

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace {

using namespace muster;
using namespace muster::worker::tcp;
using worker::Bytes;

constexpr std::uint32_t ranks = 4;
const Key key{4, 5, 6};

// Rank 0: proves to each connection that it has the key, sends it the input, and hangs up.
class Server {
 public:
  Server() : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const name = reinterpret_cast<sockaddr*>(&address);
    fuzz::expect(bind(listener_, name, size) == 0 && listen(listener_, 16) == 0 &&
                     getsockname(listener_, name, &size) == 0,
                 "no loopback");
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server() {
    shutdown(listener_, SHUT_RDWR);
    thread_.join();
    close(listener_);
  }

  [[nodiscard]] std::uint16_t port() const { return port_; }
  void set(std::string_view input) {
    const std::lock_guard lock(mutex_);
    input_ = input;
  }

 private:
  void serve() {
    while (true) {
      const int socket = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (socket < 0) return;
      answer(socket);
    }
  }

  void answer(int socket) {
    Bytes hi(greeting_bytes);
    if (recv(socket, hi.data(), hi.size(), MSG_WAITALL) == static_cast<ssize_t>(hi.size())) {
      const auto theirs = parse_greeting(hi).nonce;
      const auto mine = make_nonce();
      const auto self =
          to_bytes(Introduction{.rank = 0, .size = ranks, .job = "", .node = "node0"});
      auto bytes = reply(mine, prove(key, server_role, theirs, mine, self), self);
      {
        const std::lock_guard lock(mutex_);
        const auto input = std::as_bytes(std::span{input_});
        bytes.insert(bytes.end(), input.begin(), input.end());
      }
      send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      std::array<char, 4096> ignored{};
      recv(socket, ignored.data(), ignored.size(), 0);
    }
    // Immediately: a port in TIME_WAIT for each input would leave none for other programs.
    const linger reset{1, 0};
    setsockopt(socket, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    close(socket);
  }

  int listener_;
  std::uint16_t port_ = 0;
  std::mutex mutex_;
  std::string input_;
  std::thread thread_;
};

// Whether the rank got an answer or an error before its deadline.
bool ends(std::string_view input) {
  static Server server;
  server.set(input);
  const Endpoint endpoint{
      .host = "127.0.0.1", .port = server.port(), .source = "fuzz", .key = {key, ""}, .job = ""};
  const worker::RankInfo self{.rank = 3, .size = ranks, .node = "node1", .address = ""};
  const worker::Deadline deadline{std::chrono::seconds{8}};
  Client client(endpoint, self);
  const Runs wanted{{0, 1}, {2, 1}};
  try {
    const auto mine = std::as_bytes(std::span{"record"});
    const auto answer = client.exchange({.number = 1, .what = "barrier"}, mine, wanted, deadline);
    fuzz::expect(answer.entries.size() == ranks_in(wanted), "a rank is missing from an answer");
    for (const int rank : answer.neighbours) {
      fuzz::expect(rank >= 0 && rank < static_cast<int>(ranks), "a neighbour does not exist");
    }
  } catch (const worker::Error& refusal) {
    fuzz::expect_one_line(refusal.what());
    fuzz::expect(refusal.status() != MUSTER_OK, "an error without a status");
  }
  return !deadline.passed();
}

// A reset that a busy machine's loopback has lost is not sent again: then the next try counts.
void read_input(std::string_view input) {
  constexpr int tries = 3;
  for (int i = 0; i < tries; ++i) {
    if (ends(input)) return;
  }
  fuzz::expect(false, "a rank waits for nothing");
}

std::string frame(const Head& head, std::string_view rest) {
  const auto bytes = to_bytes(head);
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()) + std::string(rest);
}

}  // namespace

std::vector<std::string> fuzz::seeds() {
  using std::string_view_literals::operator""sv;
  return {frame({.kind = Kind::answer, .phase = 1, .count = 2, .more = 0},
                "\x03\0\0\0\5node0abc\x02\0\0\0\5node1de"sv),
          frame({.kind = Kind::answer, .phase = 1, .count = 2, .more = 2},
                "\0\0\0\0\3\0\0\0\x03\0\0\0\5node0abc\x02\0\0\0\5node1de"sv),
          frame({.kind = Kind::failure, .phase = 1, .count = 7, .more = MUSTER_ERR_PEER},
                "rank 2 left"sv.substr(0, 7))};
}

// Each record claims a size before its bytes have arrived.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::one_input(data, size, {.base = (1U << 20) + 4 * max_record_bytes, .per_byte = 256},
                         read_input);
}
