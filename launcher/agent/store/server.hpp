// Serves torch's TCPStore at the rendezvous port, from before the first rank starts until the agent ends.
// torchrun's agent does the same.
//
// As in torch, any process that reaches the port can use the store. So everything is bounded, and a client
// that sends what torch would not send is disconnected; the others notice nothing.
#pragma once

#include "core/store/store.hpp"
#include "launcher/agent/store/connection.hpp"
#include "launcher/os/descriptor.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/steady_timer.hpp>

namespace muster::store {

struct ServerLimits {
  Limits requests = {};
  std::size_t connections = 65'536;
  std::size_t buffered_bytes = std::size_t{256} << 20;  // of all connections
};

class Server {
 public:
  using Complain = std::function<void(const std::string& line)>;

  // `listener` listens already. `complain` gets a line for each of the first few clients that were
  // disconnected.
  Server(asio::io_context& io, os::Descriptor listener, Complain complain,
         const ServerLimits& limits = {});
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server();

  // Ends all connections. The io_context no longer has any work for this server once it has run what is
  // due.
  void close();

  [[nodiscard]] std::size_t connections() const { return connections_.size(); }
  [[nodiscard]] const Store& store() const { return store_; }

 private:
  struct Peer {
    Connection connection;
    std::size_t counted = 0;  // of its bytes, in `buffered_`
    bool awaits_room = false;
  };

  void accept();
  void accepted(asio::ip::tcp::socket socket);
  void await_bytes(Client client);
  void await_room(Client client);
  void serve(Client client);
  void carry_out(Client client);
  void send(const Reply& reply);
  void count(Client client);
  void disconnect(Client client, const std::string& why);
  void forget(Client client);
  bool evict_silent_client();
  void no_longer_silent(const asio::ip::address& peer);
  [[nodiscard]] Dialect old_dialect(const Connection& connection) const;

  ServerLimits limits_;
  Complain complain_;
  asio::ip::tcp::acceptor acceptor_;
  asio::steady_timer pause_;
  Store store_;
  std::map<Client, Peer> connections_;  // in the order in which they came
  std::map<asio::ip::address, std::size_t>
      silent_;  // how many connections have not said anything yet
  Client next_client_ = 0;
  std::size_t buffered_ = 0;
  std::size_t complaints_ = 0;
  std::vector<char> buffer_;
};

}  // namespace muster::store
