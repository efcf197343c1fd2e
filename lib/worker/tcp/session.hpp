// What rank 0 hears from one connection, piece by piece as it comes. No sockets: bytes in, events
// out, whatever the bytes are.
//
// Memory: before the proof at most 600 bytes; after it one record (most_record_bytes) and the ranks
// that it wants, never more than its frame's head has announced and the step's size allows.
#pragma once

#include "worker/tcp/step_nodes.hpp"
#include "worker/tcp/wire.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace muster::worker::tcp {

// What every conversation of rank 0 is held to.
struct Terms {
  Key key{};
  std::uint32_t size = 1;
  std::string job;       // empty where the key says enough
  std::string node;      // of rank 0
  StepNodes nodes = {};  // for messages of ranks that never came
};

// The answer to a greeting.
struct Greeted {
  Bytes reply;
};
// Somebody who belongs to the step, though perhaps not in agreement with it (Introduction::size).
struct Arrived {
  Introduction who;
};
struct Gave {
  std::uint32_t phase = 0;
  std::uint32_t left_ms = 0;
  Runs wanted;
  Bytes record;
};
struct Left {};
struct Aborted {
  std::uint32_t code = 0;
  std::string reason;
};
using Event = std::variant<Greeted, Arrived, Gave, Left, Aborted>;

class Conversation {
 public:
  explicit Conversation(const Terms& terms) : terms_(terms) { expect(Piece::greeting); }

  // The next event in these bytes, which it takes from their front; nothing when they are used up.
  // Throws Garbled, after which nothing can be heard here any more.
  std::optional<Event> next(View& bytes);

 private:
  enum class Piece : std::uint8_t { greeting, hello_head, hello, head, give_rest, record, reason };

  void expect(Piece piece, std::size_t bytes);
  void expect(Piece piece);
  std::optional<Event> on_piece(View bytes);
  std::optional<Event> on_greeting(View bytes);
  std::optional<Event> on_hello(View bytes);
  std::optional<Event> on_head(View bytes);
  std::optional<Event> on_give_rest(View bytes);
  std::optional<Event> gave(Bytes record);

  const Terms& terms_;
  Nonce mine_{};
  Nonce theirs_{};
  Proof proof_{};
  Head head_;
  Gave give_;
  Piece piece_ = Piece::greeting;
  std::size_t wanted_bytes_ = 0;
  Bytes held_;  // of the piece that is coming
};

}  // namespace muster::worker::tcp
