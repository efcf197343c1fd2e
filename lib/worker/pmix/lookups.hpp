// Asks for values of several ranks together: a server's answers arrive while the next questions are on
// their way, and no wait is longer than the deadline.
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
  Bytes bytes;               // of a byte object or a string
  std::uint32_t number = 0;  // of an integer

  bool here() const { return answered && status == status::success; }
};

enum class Reach {
  process,  // what this process already has
  node,     // what this node's server has
  step      // the server asks the rank's own node
};

struct Question {
  std::string key;
  Process whose;
  Reach reach = Reach::step;
};

// One answer for each question, in the same order.
std::vector<Found> look_up(const PmixApi& api, std::span<const Question> questions,
                           const Deadline& deadline);

// The same for one question. Each call is a round trip to libpmix's thread, so combine questions if
// possible.
Found look_up(const PmixApi& api, const Question& question, const Deadline& deadline);

// A flag for a call to PMIx.
Info make_flag(const char* key);

}  // namespace muster::worker::pmix
