// Every rank but 0: one connection to rank 0, made in the first call that needs it.
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

// What a rank has read of another.
struct Entry {
  Bytes record;
  std::string node;
};

// What one phase gives a rank.
struct Answer {
  std::vector<Entry> entries;   // of the wanted ranks, ascending
  std::vector<int> neighbours;  // ranks of this node; in the first answer only
};

class Guest {
 public:
  Guest(const Meeting& meeting, const Place& place) : meeting_(meeting), place_(place) {}

  // Throws Error.
  Answer exchange(const Phase& phase, View mine, const Runs& wanted, const Deadline& deadline);

  // Tells rank 0, which tells all. Never throws; connects where that can be done soon.
  void abort(int code, const std::string& reason, const Deadline& deadline) noexcept;

  // Never throws and waits for nothing.
  void leave() noexcept;

 private:
  using Time = Deadline::Clock::time_point;

  void meet(const std::string& what, const Deadline& deadline);
  bool try_to_meet(const std::vector<Endpoint>& endpoints, Time until);
  bool connects(const Endpoint& endpoint, Time until);
  bool introduce(Time until);
  bool is_our_host(const Nonce& mine, Time until);
  bool refuse(const std::string& why);
  void give(View frame, Time until);
  Answer take_answer(const Phase& phase, const Runs& wanted, Time until);
  Entry take_entry(Time until);
  [[noreturn]] void pass_failure_on(const Head& head, Time until);
  [[noreturn]] void fail_to_meet(const std::string& what, const Deadline& deadline) const;
  std::string rank_0() const;

  const Meeting& meeting_;
  const Place& place_;
  Socket socket_;                      // to a rank 0 that is ours, or none
  std::optional<Reader> reader_;       // of the socket
  Bytes hello_;                        // goes before the first frame
  std::string host_node_;              // of rank 0, once it has said so
  std::string why_not_met_;            // the last reason
  std::string why_refused_;            // somebody else is at rank 0's place
  std::optional<Time> refused_since_;  // and since when
};

}  // namespace muster::worker::tcp
