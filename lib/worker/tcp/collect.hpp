// Rank 0 collects what every other rank contributes to one phase. One loop over non-blocking sockets runs
// only inside rank 0's own calls; between calls the connections just stay open.
#pragma once

#include "worker/tcp/admission.hpp"
#include "worker/transport.hpp"

#include <string>

namespace muster::worker::tcp {

class Collection {
 public:
  using Time = Connection::Time;

  Collection(const Terms& terms, Connections& connections, Admission& admission, const Phase& phase,
             const Deadline& deadline);

  // Returns when every rank has contributed. Throws Error.
  void collect();

  // After a failure: sends it to ranks that connect within a short while as well. Otherwise they would try
  // to connect until their own deadline.
  void tell_latecomers(View failure) noexcept;

 private:
  void hear_ready(Time until);
  void hear(Connection& connection);
  void handle(Connection& connection, Event event);
  void take(Connection& connection, Contribution contribution);
  void tell(Connection& connection);
  void lost(Connection& connection, const std::string& why);
  [[noreturn]] void fail_late() const;

  const Terms& terms_;
  Connections& connections_;
  Admission& admission_;
  const Phase& phase_;
  const Deadline& deadline_;
  std::size_t contributed_ = 0;
  Time give_up_;          // earlier than any rank gives up by itself
  View failure_;          // empty until there is one
  std::size_t told_ = 0;  // latecomers that have received it
};

}  // namespace muster::worker::tcp
