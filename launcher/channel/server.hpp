// The supervisor's end of the control channel: a thread that receives the nodes' questions and sends the
// answers. A failure here never reaches srun; it only means a missing answer.
//
// A peer that does not prove the step's key within two seconds is disconnected. At most
// `unauthenticated` such peers are kept. A node that asks for a session (session.hpp) gets one from
// the handler; sessions leave some of the descriptors to questions.
#pragma once

#include "launcher/channel/address.hpp"
#include "launcher/channel/listener.hpp"
#include "launcher/channel/questions.hpp"
#include "launcher/channel/session.hpp"
#include "secret/key.hpp"

#include <chrono>
#include <memory>
#include <optional>

namespace muster::channel {

struct Limits {
  std::chrono::milliseconds first_message_timeout{2000};
  std::chrono::milliseconds answer_timeout{5000};
  std::chrono::milliseconds question_timeout{std::chrono::hours{1}};
  std::size_t unauthenticated = 256;
  std::size_t connections = 65536;
  std::size_t sessions = 65536;
};

class Server {
 public:
  // Listens from now on, on the first free port of the range, or any; answers once start() has been called.
  Server(const secret::Key& key, const std::optional<option::PortRange>& ports,
         Questions::TakePlans take_plans, Questions::TakeNotice take_notice = {},
         const Limits& limits = {}, std::shared_ptr<SessionHandler> sessions = nullptr);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server();  // ends the thread

  // Where the nodes can reach this host; no value if no port could be opened.
  [[nodiscard]] Address address() const;

  // Whether a node has reached it and proved the step's key.
  [[nodiscard]] bool reached() const;

  // Call it after all forks, because a process with threads must not fork.
  void start();

 private:
  class Loop;
  std::unique_ptr<Loop> loop_;
};

}  // namespace muster::channel
