// Rank 0: lets the ranks in (admission), collects what each contributes to a phase (collect) and
// gives each what it wants (answer). Works inside rank 0's own calls only.
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
  // Listens from now on, unless it is alone. Throws Error.
  Server(Terms terms, std::uint16_t port, const std::string& port_source);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Throws Error.
  Answer exchange(const Phase& phase, View mine, const Runs& wanted, const Deadline& deadline);

  // Sends every rank that is connected the reason why there will be no more answers.
  void fail_all(muster_status status, const std::string& why) noexcept;

 private:
  void collect(const Phase& phase, const Deadline& deadline);

  const Terms terms_;
  Connections connections_;
  std::optional<Admission> admission_;  // where there are other ranks
  Bytes failure_;                       // once there is one: the frame that every rank gets
};

}  // namespace muster::worker::tcp
