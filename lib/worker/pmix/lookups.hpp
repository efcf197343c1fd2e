// Queries values of several ranks together: a server's answers arrive while the next queries are in flight,
// and no wait is longer than the deadline.
#pragma once

#include "worker/deadline.hpp"
#include "worker/pmix/api.hpp"
#include "worker/transport.hpp"

#include <span>
#include <string>
#include <vector>

namespace muster::worker::pmix {

struct Found {
  bool answered = false;
  Status status = status::not_found;
  Bytes bytes;               // for a byte object or a string
  std::uint32_t number = 0;  // for an integer

  bool here() const { return answered && status == status::success; }
};

enum class Reach {
  process,  // what this process already has
  node,     // what this node's server has
  step      // ask the rank's own node, through the server
};

struct Question {
  std::string key;
  Process whose;
  Reach reach = Reach::step;
};

// One answer per question, in the same order.
std::vector<Found> look_up(const PmixApi& api, std::span<const Question> questions,
                           const Deadline& deadline);

// Likewise for one question. Each call is a round trip to libpmix's thread, so combine questions if possible.
Found look_up(const PmixApi& api, const Question& question, const Deadline& deadline);

// A flag for a call to PMIx.
Info make_flag(const char* key);

}  // namespace muster::worker::pmix
