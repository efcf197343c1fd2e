// Every rank except 0: one connection to rank 0, made in the first call that needs it.
#pragma once

#include "worker/rank_info.hpp"
#include "worker/tcp/endpoint.hpp"
#include "worker/tcp/reader.hpp"
#include "worker/tcp/wire.hpp"
#include "worker/transport.hpp"

#include <optional>
#include <string>
#include <vector>

namespace muster::worker::tcp {

class Client {
 public:
  // Both must outlive the client.
  Client(const Endpoint& endpoint, const RankInfo& self) : endpoint_(endpoint), self_(self) {}

  // Throws Error.
  Answer exchange(const Phase& phase, View mine, const Runs& wanted, const Deadline& deadline);

  // Rank 0 passes this on to all ranks. Never throws; connects if that is possible soon.
  void abort(int code, const std::string& reason, const Deadline& deadline) noexcept;

  // Never throws and never waits.
  void leave() noexcept;

 private:
  using Time = Deadline::Clock::time_point;

  void connect(const std::string& what, const Deadline& deadline);
  bool try_to_connect(const std::vector<SocketAddress>& addresses, Time until);
  bool connects(const SocketAddress& address, Time until);
  bool introduce(Time until);
  bool is_our_server(const Nonce& mine, Time until);
  bool refuse(const std::string& why);
  void give(View frame, Time until);
  void send_all(View bytes, Time until);
  Answer take_answer(const Phase& phase, const Runs& wanted, Time until);
  Entry take_entry(EntryDigests& digests, Time until);
  [[noreturn]] void pass_failure_on(const Head& head, Time until);
  [[noreturn]] void fail_to_connect(const std::string& what, const Deadline& deadline) const;
  std::string rank_0() const;

  const Endpoint& endpoint_;
  const RankInfo& self_;
  Socket socket_;                 // to a rank 0 that has proved the key; empty if not connected
  std::optional<Reader> reader_;  // reads from socket_
  Bytes hello_;                   // sent before the first frame
  std::optional<secret::Seal> outgoing_;  // once rank 0 has proved the key
  std::optional<secret::Seal> incoming_;
  std::string server_node_;      // once rank 0 has reported it
  std::string why_unreachable_;  // for the last attempt
  // Why we think that the process listening there is not this step's rank 0.
  std::string why_refused_;
  std::optional<Time> refused_since_;  // since when
};

}  // namespace muster::worker::tcp
