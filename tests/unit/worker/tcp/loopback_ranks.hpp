// Several ranks in one process, as threads, over real sockets of the loopback interface.
#pragma once

#include "worker/error.hpp"
#include "worker/tcp/socket.hpp"
#include "worker/tcp/tcp.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace muster::worker::tcp {

// Holds a port as the launcher's agent does: bound, not listening, SO_REUSEPORT.
class HeldPort {
 public:
  HeldPort();
  std::uint16_t number() const { return number_; }

 private:
  Socket socket_;
  std::uint16_t number_ = 0;
};

inline constexpr const char* key_a =
    "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
inline constexpr const char* key_b =
    "ff112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

class LoopbackRanks {
 public:
  explicit LoopbackRanks(int size) : size_(size) {}

  std::uint16_t port() const { return port_.number(); }
  // Two ranks on each node: node0 has 0 and 1, node1 has 2 and 3.
  Environment environment(int rank) const;
  std::unique_ptr<Transport> make(int rank) const;

  // What one rank does, each in a separate thread. Returns the errors of those that threw, by rank.
  using Work = std::function<void(Transport&, int rank)>;
  std::vector<std::string> run(const Work& work);
  // The same, for only these ranks.
  std::vector<std::string> run(const std::vector<int>& ranks, const Work& work);

  // Replaces variables for one rank.
  std::function<void(int rank, Environment::Map&)> change = [](int, Environment::Map&) {};

 private:
  int size_;
  HeldPort port_;
};

Bytes bytes_of(const std::string& text);
std::string text_of(const Bytes& bytes);

// A connection to the loopback address that sends nothing.
Socket knock(std::uint16_t port);
// Everything that arrives until the other end closes or the time is up.
std::string hear(const Socket& socket, std::chrono::milliseconds timeout);

}  // namespace muster::worker::tcp
