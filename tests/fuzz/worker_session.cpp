// What rank 0 of the worker library receives over one connection: before the proof, from any process; after
// it, from a rank of the step. The first letter of an input says which.
#include "target.hpp"
#include "worker/tcp/session.hpp"

#include <span>

namespace {

using namespace muster;
using namespace muster::worker::tcp;
using worker::Bytes;

const Terms terms{.key = {1, 2, 3}, .size = 8, .job = "", .node = "node0"};

View view_of(std::string_view text) {
  return std::as_bytes(std::span{text});
}

void prove_key(Session& session) {
  const auto mine = make_nonce();
  const auto hi = greeting(mine);
  View bytes{hi};
  const auto reply = std::get<Greeted>(session.next(bytes).value()).reply;
  const auto head = parse_reply_head(View{reply}.first(reply_head_bytes));
  const auto self =
      to_bytes(Introduction{.rank = 3, .size = terms.size, .job = "", .node = "node1"});
  const auto answer = hello(prove(terms.key, client_role, head.nonce, mine, self), self);
  bytes = View{answer};
  fuzz::expect(std::holds_alternative<Arrived>(session.next(bytes).value()), "a rank is refused");
}

Bytes again(const Event& event) {
  if (const auto* const gave = std::get_if<Contribution>(&event)) {
    return give(gave->phase, gave->left_ms, gave->wanted, gave->record);
  }
  if (const auto* const aborted = std::get_if<Aborted>(&event)) {
    if (!aborted->reason.empty()) fuzz::expect_one_line(aborted->reason);
    return with_text(Kind::abort, 0, aborted->code, aborted->reason);
  }
  fuzz::expect(!std::holds_alternative<Greeted>(event) && !std::holds_alternative<Arrived>(event),
               "a rank comes twice");
  return to_bytes(Head{.kind = Kind::bye});
}

// All events as bytes, independent of the pieces in which they arrived.
Bytes hear(View bytes, std::size_t piece) {
  Session session(terms);
  prove_key(session);
  Bytes all;
  try {
    while (!bytes.empty()) {
      auto part = bytes.first(std::min(piece, bytes.size()));
      bytes = bytes.subspan(part.size());
      while (auto event = session.next(part)) {
        const auto frame = again(*event);
        all.insert(all.end(), frame.begin(), frame.end());
      }
    }
  } catch (const Garbled& garbled) {
    fuzz::expect_one_line(garbled.what());
  }
  return all;
}

void hear_stranger(View bytes) {
  Session session(terms);
  try {
    while (auto event = session.next(bytes)) {
      fuzz::expect(std::holds_alternative<Greeted>(*event), "a stranger gets in");
    }
  } catch (const Garbled& garbled) {
    fuzz::expect_one_line(garbled.what());
  }
  fuzz::expect(!session.proved(), "a stranger proves the key");
}

// Pieces that a rank reads from a process that it believes to be rank 0.
void parse_pieces(View bytes) {
  try {
    const auto self = parse_introduction(bytes);
    fuzz::expect(std::ranges::equal(View{to_bytes(self)}.first(8), bytes.first(8)),
                 "an introduction changes");
  } catch (const Garbled& garbled) {
    fuzz::expect_one_line(garbled.what());
  }
  try {
    const auto head = parse_reply_head(bytes);
    fuzz::expect(head.rest <= max_introduction_bytes, "an introduction is too long");
  } catch (const Garbled& garbled) {
    fuzz::expect_one_line(garbled.what());
  }
}

void read_input(std::string_view text) {
  const auto bytes = view_of(text.substr(std::min<std::size_t>(text.size(), 1)));
  if (text.starts_with('s')) return hear_stranger(bytes);
  if (text.starts_with('p')) return parse_pieces(bytes);
  const auto all = hear(bytes, SIZE_MAX);
  fuzz::expect(hear(bytes, 1) == all && hear(bytes, 7) == all, "pieces change what is heard");
}

std::string text_of(char first, const Bytes& bytes) {
  return first + std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

}  // namespace

std::vector<std::string> fuzz::seeds() {
  const auto mine = make_nonce();
  const auto self = to_bytes(Introduction{.rank = 3, .size = 8, .job = "j", .node = "node1"});
  return {text_of('s', greeting(mine)),
          text_of('p', self),
          text_of('p', reply(mine, {}, self)),
          text_of('k', give(1, 5000, {{0, 2}, {4, 1}}, view_of("first"))),
          text_of('k', give(2, 100, {}, view_of("second"))),
          text_of('k', with_text(Kind::abort, 0, 3, "no data")),
          text_of('k', to_bytes(Head{.kind = Kind::bye}))};
}

// A session reserves what a frame's header announces: one record, three sessions.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::one_input(data, size, {.base = (4U << 20) + 3 * max_record_bytes, .per_byte = 4096},
                         read_input);
}
