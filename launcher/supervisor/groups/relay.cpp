#include "launcher/supervisor/groups/relay.hpp"

#include <array>
#include <cstddef>
#include <utility>

#include <asio/buffer.hpp>
#include <asio/steady_timer.hpp>
#include <asio/write.hpp>
#include <sys/socket.h>

namespace muster::groups {
namespace {

using asio::ip::tcp;

constexpr std::size_t buffer_bytes = std::size_t{16} << 10;
constexpr std::chrono::milliseconds accept_pause{200};

tcp protocol_of(int socket) {
  int domain = AF_INET;
  socklen_t size = sizeof domain;
  getsockopt(socket, SOL_SOCKET, SO_DOMAIN, &domain, &size);
  return domain == AF_INET6 ? tcp::v6() : tcp::v4();
}

}  // namespace

// Lives as long as one of its operations is under way.
class Relay::Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Relay& relay, tcp::socket client)
      : relay_(relay), client_(std::move(client)), server_(relay.io_), deadline_(relay.io_) {}

  // Until the server is there.
  void wait() {
    deadline_.expires_after(relay_.limits_.wait);
    deadline_.async_wait([self = shared_from_this()](std::error_code cancelled) {
      if (!cancelled) self->end();
    });
  }

  void connect(const tcp::endpoint& server) {
    if (std::exchange(connects_, true)) return;
    wait();
    server_.async_connect(server, [self = shared_from_this()](std::error_code error) {
      if (error) return self->end();
      self->deadline_.cancel();
      self->pass_on(self->client_, self->server_, self->there_);
      self->pass_on(self->server_, self->client_, self->back_);
    });
  }

  void end() {
    if (std::exchange(ended_, true)) return;
    std::error_code ignored;
    deadline_.cancel();
    client_.close(ignored);
    server_.close(ignored);
    relay_.connections_.erase(shared_from_this());
  }

 private:
  using Buffer = std::array<std::byte, buffer_bytes>;

  void pass_on(tcp::socket& from, tcp::socket& to, Buffer& buffer) {
    from.async_read_some(asio::buffer(buffer), [this, self = shared_from_this(), &from, &to,
                                                &buffer](std::error_code error, std::size_t bytes) {
      if (error) return end();
      if (&from == &server_) relay_.last_word_ = std::chrono::steady_clock::now();
      asio::async_write(to, asio::buffer(buffer.data(), bytes),
                        [this, self, &from, &to, &buffer](std::error_code failed, std::size_t) {
                          if (failed) return end();
                          pass_on(from, to, buffer);
                        });
    });
  }

  Relay& relay_;
  tcp::socket client_;
  tcp::socket server_;
  asio::steady_timer deadline_;
  bool connects_ = false;
  bool ended_ = false;
  Buffer there_;
  Buffer back_;
};

Relay::Relay(asio::io_context& io, os::Descriptor listener, Limits limits)
    : io_(io), limits_(limits), acceptor_(io), pause_(io) {
  acceptor_.assign(protocol_of(listener.get()), listener.get());
  listener.release();
  acceptor_.non_blocking(true);
  accept();
}

Relay::~Relay() {
  std::error_code ignored;
  acceptor_.close(ignored);
  end_all();
}

void Relay::move_to(std::optional<tcp::endpoint> server) {
  if (server == server_) return;
  if (server_) end_all();
  server_ = std::move(server);
  if (!server_) return;
  const auto waiting = connections_;
  for (const auto& connection : waiting) connection->connect(*server_);
}

void Relay::end_all() {
  const auto all = connections_;
  for (const auto& connection : all) connection->end();
}

void Relay::accept() {
  acceptor_.async_accept([this](std::error_code error, tcp::socket socket) {
    if (error == asio::error::operation_aborted) return;
    if (error) return accept_later();
    if (connections_.size() < limits_.connections) {
      const auto connection = std::make_shared<Connection>(*this, std::move(socket));
      connections_.insert(connection);
      if (server_) {
        connection->connect(*server_);
      } else {
        connection->wait();
      }
    }
    accept();
  });
}

// No descriptor is left.
void Relay::accept_later() {
  pause_.expires_after(accept_pause);
  pause_.async_wait([this](std::error_code cancelled) {
    if (!cancelled) accept();
  });
}

}  // namespace muster::groups
