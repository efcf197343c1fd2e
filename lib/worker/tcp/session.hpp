// What rank 0 receives over one connection, piece by piece as it arrives. Uses no sockets: turns any bytes
// into events.
//
// Memory: before the proof, at most 600 bytes. After it, one record (max_record_bytes) and the ranks that the
// peer wants, never more than the head of its frame announces and the size of the step allows.
#pragma once

#include "worker/tcp/step_nodes.hpp"
#include "worker/tcp/wire.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace muster::worker::tcp {

// What all sessions of rank 0 have in common.
struct Terms {
  Key key{};
  std::uint32_t size = 1;
  std::string job;              // empty if the key alone identifies the step
  std::string node;             // of rank 0
  std::string key_remedy = {};  // for messages: what to do if a peer has a different key
  StepNodes nodes = {};         // for messages about ranks that never came
};

// The answer to a greeting.
struct Greeted {
  Bytes reply;
};
// The peer has proved the key. It may still disagree about the step (Introduction::size).
struct Arrived {
  Introduction introduction;
};
// What a rank contributes in one phase, and what it wants to read.
struct Contribution {
  std::uint32_t phase = 0;
  std::uint32_t left_ms = 0;
  Runs wanted;
  Bytes record;
};
// The peer leaves cleanly.
struct Leave {};
// The peer ends the step.
struct Aborted {
  std::uint32_t code = 0;
  std::string reason;
};
using Event = std::variant<Greeted, Arrived, Contribution, Leave, Aborted>;

class Session {
 public:
  explicit Session(const Terms& terms) : terms_(terms) { expect(Piece::greeting); }

  // Takes the next event from the front of these bytes; no value when they are used up. Throws Garbled, after
  // which the session is over.
  std::optional<Event> next(View& bytes);

  // Whether the peer has proved the key.
  bool proved() const { return incoming_.has_value(); }

  // For a peer that has proved the key: the tag of the next frame, which consists of these pieces.
  secret::Mac seal(const secret::Parts& pieces) { return outgoing_.value().next(pieces); }

 private:
  enum class Piece : std::uint8_t {
    greeting,
    hello_head,
    hello,
    head,
    give_rest,
    record,
    reason,
    tag
  };

  void expect(Piece piece, std::size_t bytes);
  void expect(Piece piece);
  std::optional<Event> on_piece(Bytes bytes);
  std::optional<Event> on_greeting(View bytes);
  std::optional<Event> on_hello(View bytes);
  void on_head(View bytes);
  std::optional<Event> on_tag(View bytes);

  const Terms& terms_;
  Nonce mine_{};
  Nonce theirs_{};
  Proof proof_{};
  std::optional<secret::Seal> incoming_;  // once the peer has proved the key
  std::optional<secret::Seal> outgoing_;
  Head head_;     // the head of the frame that is arriving; how much of it has arrived
  Bytes rest_;    // the rest of a `give` frame, or the reason in an `abort` frame
  Bytes record_;  // the record in a `give` frame
  Piece piece_ = Piece::greeting;
  std::size_t wanted_bytes_ = 0;
  Bytes held_;  // what has arrived of the current piece
};

}  // namespace muster::worker::tcp
