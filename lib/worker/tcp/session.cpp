#include "worker/tcp/session.hpp"

#include <algorithm>
#include <utility>

namespace muster::worker::tcp {

void Session::expect(Piece piece, std::size_t bytes) {
  piece_ = piece;
  wanted_bytes_ = bytes;
  held_.clear();
  held_.reserve(bytes);
}

void Session::expect(Piece piece) {
  switch (piece) {
    case Piece::greeting:
      return expect(piece, greeting_bytes);
    case Piece::hello_head:
      return expect(piece, hello_head_bytes);
    default:
      return expect(Piece::head, head_bytes);
  }
}

std::optional<Event> Session::next(View& bytes) {
  while (!bytes.empty()) {
    const auto part = bytes.first(std::min(bytes.size(), wanted_bytes_ - held_.size()));
    held_.insert(held_.end(), part.begin(), part.end());
    bytes = bytes.subspan(part.size());
    if (held_.size() < wanted_bytes_) return std::nullopt;
    if (auto event = on_piece(std::exchange(held_, {}))) return event;
  }
  return std::nullopt;
}

std::optional<Event> Session::on_piece(Bytes bytes) {
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
    case Piece::head:
      on_head(bytes);
      return std::nullopt;
    case Piece::give_rest:
      rest_ = std::move(bytes);
      expect(Piece::record, head_.count);
      return std::nullopt;
    case Piece::record:
      record_ = std::move(bytes);
      break;
    case Piece::reason:
      rest_ = std::move(bytes);
      break;
    case Piece::tag:
      return on_tag(bytes);
  }
  expect(Piece::tag, tag_bytes);
  return std::nullopt;
}

// A peer with a different format gets its reply as well, so that it can tell what is wrong.
std::optional<Event> Session::on_greeting(View bytes) {
  const auto greeting = parse_greeting(bytes);
  theirs_ = greeting.nonce;
  mine_ = make_nonce();
  const auto said = to_bytes(
      Introduction{.rank = 0, .size = terms_.size, .job = terms_.job, .node = terms_.node});
  const auto proof = prove(terms_.key, server_role, theirs_, mine_, said);
  expect(Piece::hello_head);
  return Greeted{reply(mine_, proof, said)};
}

std::optional<Event> Session::on_hello(View bytes) {
  if (!proves(proof_, terms_.key, client_role, mine_, theirs_, bytes)) {
    throw Garbled("a wrong proof");
  }
  incoming_.emplace(terms_.key, client_role, theirs_, mine_);
  outgoing_.emplace(terms_.key, server_role, theirs_, mine_);
  auto introduction = parse_introduction(bytes);
  if (introduction.job != terms_.job) {
    throw Garbled("the name of another job, " + introduction.job);
  }
  expect(Piece::head);
  return Arrived{std::move(introduction)};
}

void Session::on_head(View bytes) {
  head_ = parse_head(bytes);
  switch (head_.kind) {
    case Kind::give:
      if (head_.count > max_record_bytes || head_.count == 0 ||
          head_.more > max_runs(terms_.size)) {
        throw Garbled("a record that is too long");
      }
      return expect(Piece::give_rest, left_bytes + run_bytes * head_.more);
    case Kind::bye:
      return expect(Piece::tag, tag_bytes);
    case Kind::abort:
      if (head_.count > max_text_bytes) throw Garbled("a reason that is too long");
      if (head_.count == 0) return expect(Piece::tag, tag_bytes);
      return expect(Piece::reason, head_.count);
    default:
      throw Garbled("a frame that only rank 0 sends");
  }
}

// Called when the frame is complete.
std::optional<Event> Session::on_tag(View bytes) {
  check_tag(incoming_.value(), bytes, {to_bytes(head_), rest_, record_});
  const auto rest = std::exchange(rest_, {});
  auto record = std::exchange(record_, {});
  expect(Piece::head);
  if (head_.kind == Kind::bye) return Leave{};
  if (head_.kind == Kind::abort) {
    return Aborted{head_.more, one_line(Parser{rest}.text(rest.size()))};
  }
  auto give = parse_give_rest(rest, terms_.size);
  return Contribution{.phase = head_.phase,
                      .left_ms = give.left_ms,
                      .wanted = std::move(give.wanted),
                      .record = std::move(record)};
}

}  // namespace muster::worker::tcp
