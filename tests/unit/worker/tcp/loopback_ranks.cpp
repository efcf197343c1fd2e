#include "loopback_ranks.hpp"

#include <array>

#include <arpa/inet.h>
#include <netinet/in.h>

namespace muster::worker::tcp {

HeldPort::HeldPort() : socket_(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  const int on = 1;
  const int off = 0;
  setsockopt(socket_.fd(), SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
  setsockopt(socket_.fd(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  socklen_t size = sizeof address;
  if (bind(socket_.fd(), reinterpret_cast<sockaddr*>(&address), size) == 0) {
    getsockname(socket_.fd(), reinterpret_cast<sockaddr*>(&address), &size);
  }
  number_ = ntohs(address.sin6_port);
}

Environment LoopbackRanks::environment(int rank) const {
  Environment::Map variables{{"RANK", std::to_string(rank)},
                             {"WORLD_SIZE", std::to_string(size_)},
                             {"SLURMD_NODENAME", "node" + std::to_string(rank / 2)},
                             {"MUSTER_EXCHANGE", "127.0.0.1:" + std::to_string(port())},
                             {"MUSTER_EXCHANGE_KEY", key_a}};
  change(rank, variables);
  return Environment{variables};
}

std::unique_ptr<Transport> LoopbackRanks::make(int rank) const {
  return make_tcp_transport(environment(rank), MUSTER_RANKS_AUTO,
                            Deadline{std::chrono::seconds{5}});
}

std::vector<std::string> LoopbackRanks::run(const Work& work) {
  std::vector<int> ranks;
  for (int rank = 0; rank < size_; ++rank) ranks.push_back(rank);
  return run(ranks, work);
}

std::vector<std::string> LoopbackRanks::run(const std::vector<int>& ranks, const Work& work) {
  std::vector<std::string> errors(static_cast<std::size_t>(size_));
  std::vector<std::thread> threads;
  for (const int rank : ranks) {
    threads.emplace_back([&, rank] {
      try {
        const auto transport = make(rank);
        work(*transport, rank);
      } catch (const Error& error) {
        errors[static_cast<std::size_t>(rank)] =
            std::string{muster_status_name(error.status())} + ": " + error.what();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  return errors;
}

Bytes bytes_of(const std::string& text) {
  const auto view = std::as_bytes(std::span{text});
  return {view.begin(), view.end()};
}

std::string text_of(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Socket knock(std::uint16_t port) {
  SocketAddress loopback;
  auto* const address = reinterpret_cast<sockaddr_in*>(&loopback.storage);
  address->sin_family = AF_INET;
  address->sin_port = htons(port);
  address->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  loopback.size = sizeof *address;
  return start_connecting(loopback).socket;
}

std::string hear(const Socket& socket, std::chrono::milliseconds timeout) {
  const auto until = Deadline::Clock::now() + timeout;
  std::string heard;
  std::array<std::byte, 4096> buffer;
  while (wait_for(socket, Wish::read, until) == Ready::readable) {
    const auto moved = receive(socket, buffer);
    if (moved.flow != Flow::some) break;
    heard.append(reinterpret_cast<const char*>(buffer.data()), moved.bytes);
  }
  return heard;
}

}  // namespace muster::worker::tcp
