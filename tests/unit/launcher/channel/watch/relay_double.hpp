// What sits between an agent and the supervisor: it forwards bytes, until a test makes it lose, change or
// repeat them.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <asio/buffer.hpp>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/write.hpp>

namespace muster::watch {

class Relay {
 public:
  using tcp = asio::ip::tcp;

  Relay(asio::io_context& io, std::uint16_t server)
      : server_(asio::ip::address_v4::loopback(), server),
        acceptor_(io, {asio::ip::address_v4::loopback(), 0}) {
    accept();
  }
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;
  ~Relay() { cut(); }

  [[nodiscard]] std::uint16_t port() const { return acceptor_.local_endpoint().port(); }
  [[nodiscard]] std::size_t connections() const { return connections_; }

  // Ends existing connections; new ones are accepted.
  void cut() {
    for (const auto& pair : pairs_) pair->close();
    pairs_.clear();
  }

  // From now on nothing passes, and neither end is told; new connections are accepted.
  void lose(bool lost) { lost_ = lost; }

  // Changes a byte of the next bytes from an agent.
  void change_next() { change_ = true; }

  // Sends the agent's last bytes once more.
  void repeat() { asio::write(pairs_.back()->there, asio::buffer(last_)); }

 private:
  struct Pair {
    explicit Pair(tcp::socket agent) : here(std::move(agent)), there(here.get_executor()) {}

    void close() {
      asio::error_code ignored;
      here.close(ignored);
      there.close(ignored);
    }

    tcp::socket here;
    tcp::socket there;
    std::array<char, 65536> from_here{};
    std::array<char, 65536> from_there{};
  };

  void accept() {
    acceptor_.async_accept([this](std::error_code error, tcp::socket socket) {
      if (error) return;
      ++connections_;
      auto pair = pairs_.emplace_back(std::make_shared<Pair>(std::move(socket)));
      asio::error_code failed;
      pair->there.connect(server_, failed);
      if (failed) {
        pair->close();
      } else {
        pump(pair, true);
        pump(pair, false);
      }
      accept();
    });
  }

  void pump(const std::shared_ptr<Pair>& pair, bool from_agent) {
    auto& source = from_agent ? pair->here : pair->there;
    auto& bytes = from_agent ? pair->from_here : pair->from_there;
    source.async_read_some(asio::buffer(bytes), [=, this](std::error_code error, std::size_t size) {
      if (error) return lost_ ? void() : pair->close();
      if (!lost_) pass(*pair, from_agent, size);
      pump(pair, from_agent);
    });
  }

  void pass(Pair& pair, bool from_agent, std::size_t size) {
    auto& bytes = from_agent ? pair.from_here : pair.from_there;
    if (from_agent) {
      if (change_) bytes.at(size - 1) = static_cast<char>(bytes.at(size - 1) ^ 1);
      change_ = false;
      last_.assign(bytes.data(), size);
    }
    asio::error_code ignored;
    asio::write(from_agent ? pair.there : pair.here, asio::buffer(bytes.data(), size), ignored);
  }

  tcp::endpoint server_;
  tcp::acceptor acceptor_;
  std::vector<std::shared_ptr<Pair>> pairs_;
  std::string last_;
  std::size_t connections_ = 0;
  bool lost_ = false;
  bool change_ = false;
};

}  // namespace muster::watch
