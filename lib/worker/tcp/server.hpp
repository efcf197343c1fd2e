// Rank 0: admits the ranks (admission), collects what each contributes to a phase (collect) and sends each
// one the records that it wants (answer). Works only inside rank 0's own calls.
//
// Memory between phases: a few hundred bytes for each connection.
#pragma once

#include "worker/tcp/admission.hpp"
#include "worker/tcp/connections.hpp"
#include "worker/transport.hpp"

#include <optional>
#include <string>

namespace muster::worker::tcp {

class Server {
 public:
  // Listens from now on, unless rank 0 is alone. Throws Error.
  Server(Terms terms, std::uint16_t port, const std::string& port_source);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Throws Error.
  Answer exchange(const Phase& phase, View mine, const Runs& wanted, const Deadline& deadline);

  // Tells every connected rank why there will be no more answers.
  void fail_all(muster_status status, const std::string& why) noexcept;

 private:
  void collect(const Phase& phase, const Deadline& deadline);

  const Terms terms_;
  Connections connections_;
  std::optional<Admission> admission_;  // if there are other ranks
  Bytes failure_;  // empty until there is a failure: the frame that every rank gets
};

}  // namespace muster::worker::tcp
