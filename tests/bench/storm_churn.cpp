// Short-lived clients on one node: each takes an ephemeral port and leaves it in TIME_WAIT, and
// every eighth is held for some seconds.
//
//   storm_churn RATE        connections per second; runs until it gets SIGTERM
//
// Prints once a second how many connections it has made and from how many different ports.
#include <array>
#include <bitset>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <iostream>
#include <string>
#include <thread>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto held_for = std::chrono::seconds(4);
constexpr int held_of = 8;
constexpr std::uint32_t places = 8;  // 127.0.0.1 and the next addresses: none runs out of ports

struct Connection {
  int client;
  int server;
  Clock::time_point until;
};

sockaddr_in loopback(std::uint32_t number, in_port_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK + number);
  address.sin_port = port;
  return address;
}

// Close the client first: TIME_WAIT stays with the end that closes first.
void end(const Connection& connection) {
  close(connection.client);
  char byte = 0;
  if (recv(connection.server, &byte, 1, 0) >= 0) close(connection.server);
}

class Churn {
 public:
  Churn() : listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in any{};
    any.sin_family = AF_INET;
    any.sin_port = htons(1999);
    const int yes = 1;
    setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(listener_, reinterpret_cast<const sockaddr*>(&any), sizeof any) != 0 ||
        listen(listener_, 16) != 0) {
      std::cerr << "storm_churn: port 1999 is taken\n";
      std::exit(1);
    }
  }

  void connect_once() {
    Connection connection{socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), -1,
                          Clock::now() + held_for};
    const auto place = loopback(static_cast<std::uint32_t>(count_) % places, htons(1999));
    if (connect(connection.client, reinterpret_cast<const sockaddr*>(&place), sizeof place) != 0) {
      close(connection.client);  // no port left: that is enough churn
      return;
    }
    connection.server = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    sockaddr_in mine{};
    socklen_t size = sizeof mine;
    getsockname(connection.client, reinterpret_cast<sockaddr*>(&mine), &size);
    ports_.set(ntohs(mine.sin_port));
    if (++count_ % held_of == 0) {
      held_.push_back(connection);
    } else {
      end(connection);
    }
  }

  void end_old() {
    while (!held_.empty() && held_.front().until < Clock::now()) {
      end(held_.front());
      held_.pop_front();
    }
  }

  void tell() const { std::cout << count_ << ' ' << ports_.count() << std::endl; }

 private:
  int listener_;
  long count_ = 0;
  std::bitset<65536> ports_;
  std::deque<Connection> held_;
};

}  // namespace

int main(int argc, char** argv) {
  const int rate = argc > 1 ? std::stoi(argv[1]) : 100;
  Churn churn;
  for (auto next = Clock::now();; next += std::chrono::seconds(1)) {
    for (int i = 0; i < rate; ++i) {
      churn.connect_once();
      if (i % 10 == 9)
        std::this_thread::sleep_until(next + std::chrono::milliseconds(1000 * i / rate));
    }
    churn.end_old();
    churn.tell();
    std::this_thread::sleep_until(next + std::chrono::seconds(1));
  }
}
