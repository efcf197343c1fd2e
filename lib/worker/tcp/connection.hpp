// One connection of rank 0, from accept() until it is closed.
#pragma once

#include "worker/rank_info.hpp"
#include "worker/tcp/session.hpp"
#include "worker/tcp/socket.hpp"

#include <optional>
#include <string>
#include <utility>

namespace muster::worker::tcp {

// How much of the answer to one rank has been sent: bytes of `head`, then of the wanted records, then of
// the tag.
struct AnswerProgress {
  Bytes head;
  std::size_t sent = 0;    // bytes of the head, of the record of `next`, or of the tag
  std::size_t run = 0;     // index of the run that `next` is in
  std::uint32_t next = 0;  // the rank whose record comes next
  Bytes tag;
};

struct Connection {
  using Time = Deadline::Clock::time_point;

  Connection(Accepted&& accepted, const Terms& terms, Time now)
      : socket(std::move(accepted.socket)),
        from(host_of(accepted.from)),
        session(terms),
        since(now) {}

  Socket socket;
  std::string from;  // the numeric address of the other end
  Session session;
  Time since;
  bool greeted = false;
  int rank = unknown;  // `unknown` until it has proved the key
  std::string node;
  bool left = false;        // the rank has left cleanly
  bool knows_node = false;  // it has received the list of ranks on its node
  std::optional<Contribution> contribution;
  AnswerProgress answer;
};

}  // namespace muster::worker::tcp
