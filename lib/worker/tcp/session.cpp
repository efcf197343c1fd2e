#include "worker/tcp/session.hpp"

#include <algorithm>
#include <utility>

namespace muster::worker::tcp {

void Conversation::expect(Piece piece, std::size_t bytes) {
  piece_ = piece;
  wanted_bytes_ = bytes;
  held_.clear();
  held_.reserve(bytes);
}

void Conversation::expect(Piece piece) {
  switch (piece) {
    case Piece::greeting:
      return expect(piece, greeting_bytes);
    case Piece::hello_head:
      return expect(piece, hello_head_bytes);
    default:
      return expect(Piece::head, head_bytes);
  }
}

std::optional<Event> Conversation::next(View& bytes) {
  while (!bytes.empty()) {
    const auto part = bytes.first(std::min(bytes.size(), wanted_bytes_ - held_.size()));
    held_.insert(held_.end(), part.begin(), part.end());
    bytes = bytes.subspan(part.size());
    if (held_.size() < wanted_bytes_) return std::nullopt;
    auto piece = std::exchange(held_, {});
    if (piece_ == Piece::record) return gave(std::move(piece));
    if (auto event = on_piece(piece)) return event;
  }
  return std::nullopt;
}

std::optional<Event> Conversation::on_piece(View bytes) {
  switch (piece_) {
    case Piece::greeting:
      return on_greeting(bytes);
    case Piece::hello_head: {
      const auto head = parse_hello_head(bytes);
      proof_ = head.proof;
      expect(Piece::hello, head.rest);
      return std::nullopt;
    }
    case Piece::hello:
      return on_hello(bytes);
    case Piece::give_rest:
      return on_give_rest(bytes);
    case Piece::reason: {
      expect(Piece::head);
      return Aborted{head_.more, one_line(Parser{bytes}.text(bytes.size()))};
    }
    default:
      return on_head(bytes);
  }
}

// Another format gets its reply, by which the other end knows what is wrong.
std::optional<Event> Conversation::on_greeting(View bytes) {
  const auto greeting = parse_greeting(bytes);
  theirs_ = greeting.nonce;
  mine_ = make_nonce();
  const auto said = to_bytes(
      Introduction{.rank = 0, .size = terms_.size, .job = terms_.job, .node = terms_.node});
  const auto proof = prove(terms_.key, host_role, theirs_, mine_, said);
  expect(Piece::hello_head);
  return Greeted{reply(mine_, proof, said)};
}

std::optional<Event> Conversation::on_hello(View bytes) {
  if (!proves(proof_, terms_.key, guest_role, mine_, theirs_, bytes)) {
    throw Garbled("no proof of this step's key");
  }
  auto who = parse_introduction(bytes);
  if (who.job != terms_.job) throw Garbled("another job, " + who.job);
  expect(Piece::head);
  return Arrived{std::move(who)};
}

std::optional<Event> Conversation::on_head(View bytes) {
  head_ = parse_head(bytes);
  switch (head_.kind) {
    case Kind::give:
      if (head_.count > most_record_bytes || head_.count == 0 ||
          head_.more > most_runs(terms_.size)) {
        throw Garbled("a record that is too long");
      }
      expect(Piece::give_rest, left_bytes + run_bytes * head_.more);
      return std::nullopt;
    case Kind::bye:
      expect(Piece::head);
      return Left{};
    case Kind::abort:
      if (head_.count > most_text_bytes) throw Garbled("a reason that is too long");
      expect(Piece::reason, head_.count);
      if (head_.count > 0) return std::nullopt;
      expect(Piece::head);
      return Aborted{head_.more, {}};
    default:
      throw Garbled("a frame that only rank 0 sends");
  }
}

std::optional<Event> Conversation::on_give_rest(View bytes) {
  auto rest = parse_give_rest(bytes, terms_.size);
  give_ = {.phase = head_.phase,
           .left_ms = rest.left_ms,
           .wanted = std::move(rest.wanted),
           .record = {}};
  expect(Piece::record, head_.count);
  return std::nullopt;
}

std::optional<Event> Conversation::gave(Bytes record) {
  auto given = std::exchange(give_, {});
  given.record = std::move(record);
  expect(Piece::head);
  return given;
}

}  // namespace muster::worker::tcp
