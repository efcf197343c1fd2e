// What rank 0 receives over one connection, including hostile ones.
#include "worker/tcp/session.hpp"

#include <optional>
#include <random>

#include <gtest/gtest.h>

namespace muster::worker::tcp {
namespace {

const Terms terms{.key = {1, 2, 3}, .size = 8, .job = "", .node = "node0"};

Bytes bytes_of(const std::string& text) {
  const auto view = std::as_bytes(std::span{text});
  return {view.begin(), view.end()};
}

// A rank's side of a session, as far as it depends on rank 0's nonce.
struct Speaker {
  Key key = terms.key;
  Nonce mine = make_nonce();
  Introduction who{.rank = 3, .size = 8, .job = "", .node = "node1"};
  std::optional<secret::Seal> seal = {};  // once it has answered

  Bytes answer(View reply) {
    const auto head = parse_reply_head(reply.first(reply_head_bytes));
    const auto said = reply.subspan(reply_head_bytes);
    EXPECT_TRUE(proves(head.proof, terms.key, server_role, mine, head.nonce, said));
    const auto self = to_bytes(who);
    seal.emplace(key, client_role, mine, head.nonce);
    return hello(prove(key, client_role, head.nonce, mine, self), self);
  }

  Bytes sealed(View frame) { return Writer().raw(frame).raw(seal.value().next({frame})).take(); }
};

// All events from these bytes, cut into pieces of `piece` bytes.
std::vector<Event> hear(Session& session, View bytes, std::size_t piece = SIZE_MAX) {
  std::vector<Event> events;
  while (!bytes.empty()) {
    auto part = bytes.first(std::min(piece, bytes.size()));
    bytes = bytes.subspan(part.size());
    while (auto event = session.next(part)) events.push_back(std::move(*event));
  }
  return events;
}

Bytes reply_of(Session& session, const Speaker& speaker) {
  auto events = hear(session, greeting(speaker.mine));
  return std::get<Greeted>(events.at(0)).reply;
}

void introduce(Session& session, Speaker& speaker) {
  const auto reply = reply_of(session, speaker);
  const auto events = hear(session, speaker.answer(reply));
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(std::get<Arrived>(events[0]).introduction.rank, 3U);
}

TEST(TcpSession, HearsTheSameInPiecesOfAnySize) {
  for (const std::size_t piece : {1U, 2U, 7U, 16U, 1000U}) {
    Session session(terms);
    Speaker speaker;
    introduce(session, speaker);
    Writer all;
    all.raw(speaker.sealed(give(1, 5000, {{0, 2}, {4, 1}}, bytes_of("first"))));
    all.raw(speaker.sealed(give(2, 100, {}, bytes_of("second"))));
    all.raw(speaker.sealed(with_text(Kind::abort, 0, 3, "no\ndata")));
    all.raw(speaker.sealed(with_text(Kind::abort, 0, 4, "")));
    all.raw(speaker.sealed(to_bytes(Head{.kind = Kind::bye})));
    const auto events = hear(session, all.take(), piece);
    ASSERT_EQ(events.size(), 5U) << piece;
    const auto& gave = std::get<Contribution>(events[0]);
    EXPECT_EQ(gave.phase, 1U);
    EXPECT_EQ(gave.left_ms, 5000U);
    EXPECT_EQ(gave.wanted, (Runs{{0, 2}, {4, 1}}));
    EXPECT_EQ(gave.record, bytes_of("first"));
    EXPECT_EQ(std::get<Contribution>(events[1]).record, bytes_of("second"));
    EXPECT_EQ(std::get<Aborted>(events[2]).code, 3U);
    EXPECT_EQ(std::get<Aborted>(events[2]).reason, "no data");
    EXPECT_EQ(std::get<Aborted>(events[3]).code, 4U);
    EXPECT_TRUE(std::holds_alternative<Leave>(events[4]));
  }
}

TEST(TcpSession, NeedsTheKey) {
  Session session(terms);
  Speaker speaker;
  speaker.key = {9};
  const auto reply = reply_of(session, speaker);
  EXPECT_THROW(hear(session, speaker.answer(reply)), Garbled);
}

// A peer without the key could send rank 0's own proof back to it, or to another rank 0.
TEST(TcpSession, TakesNoProofOfTheOtherDirection) {
  Session session(terms);
  const Speaker speaker;
  const auto reply = reply_of(session, speaker);
  const auto head = parse_reply_head(View{reply}.first(reply_head_bytes));
  const auto said = View{reply}.subspan(reply_head_bytes);
  EXPECT_THROW(hear(session, hello(head.proof, said)), Garbled);

  Session other(terms);
  Speaker mirror;
  mirror.mine = head.nonce;
  reply_of(other, mirror);
  EXPECT_THROW(hear(other, hello(head.proof, said)), Garbled);
}

TEST(TcpSession, TakesNoOtherWordUnderAProof) {
  Session session(terms);
  Speaker speaker;
  auto said = speaker.answer(reply_of(session, speaker));
  said[hello_head_bytes] ^= std::byte{1};  // another rank
  EXPECT_THROW(hear(session, said), Garbled);
}

TEST(TcpSession, KnowsAnotherJobWhereThereIsNoKey) {
  const Terms keyless{.key = {}, .size = 8, .job = "step 42.0", .node = "node0"};
  for (const std::string job : {"step 42.0", "step 41.0"}) {
    Session session(keyless);
    Speaker speaker;
    speaker.key = {};
    speaker.who.job = job;
    auto events = hear(session, greeting(speaker.mine));
    const auto reply = std::get<Greeted>(events.at(0)).reply;
    const auto head = parse_reply_head(View{reply}.first(reply_head_bytes));
    const auto self = to_bytes(speaker.who);
    const auto said = hello(prove({}, client_role, head.nonce, speaker.mine, self), self);
    if (job == keyless.job) {
      EXPECT_EQ(hear(session, said).size(), 1U);
    } else {
      EXPECT_THROW(hear(session, said), Garbled);
    }
  }
}

TEST(TcpSession, RefusesLengthsBeforeItTakesMemoryForThem) {
  const auto refused = [](const Head& head) {
    Session session(terms);
    Speaker speaker;
    introduce(session, speaker);
    EXPECT_THROW(hear(session, to_bytes(head)), Garbled)
        << static_cast<int>(head.kind) << " " << head.count << " " << head.more;
  };
  constexpr std::uint32_t too_long = max_record_bytes + 1;
  refused({.kind = Kind::give, .phase = 1, .count = too_long, .more = 0});
  refused({.kind = Kind::give, .phase = 1, .count = 0, .more = 0});
  refused({.kind = Kind::give, .phase = 1, .count = 1, .more = 5});
  refused({.kind = Kind::abort, .phase = 0, .count = max_text_bytes + 1, .more = 0});
  refused({.kind = Kind::answer});
  refused({.kind = Kind::failure});
}

TEST(TcpSession, RefusesRanksThatAreNone) {
  for (const auto& wanted : {Runs{{7, 2}}, Runs{{8, 1}}, Runs{{0, 0}}, Runs{{3, 1}, {2, 1}},
                             Runs{{0, 2}, {2, 1}}, Runs{{1, UINT32_MAX}}}) {
    Session session(terms);
    Speaker speaker;
    introduce(session, speaker);
    EXPECT_THROW(hear(session, speaker.sealed(give(1, 1, wanted, bytes_of("x")))), Garbled);
  }
}

// Anything that is not sealed for this position, direction and connection is not an event.
TEST(TcpSession, RefusesAFrameThatIsNotTheNextOfItsPeer) {
  const auto frame = give(1, 1, {{0, 2}}, bytes_of("a record"));
  const auto refused = [&](const std::string& what, const auto& bytes_of_speaker) {
    Session session(terms);
    Speaker speaker;
    introduce(session, speaker);
    EXPECT_THROW(hear(session, bytes_of_speaker(session, speaker)), Garbled) << what;
  };
  for (std::size_t place = 0; place < frame.size() + tag_bytes; ++place) {
    refused("changed", [&](Session&, Speaker& speaker) {
      auto bytes = speaker.sealed(frame);
      bytes[place] ^= std::byte{1};
      return Writer()
          .raw(bytes)
          .raw(Bytes(max_record_bytes + 1024))
          .take();  // for a length that has grown
    });
  }
  refused("repeated", [&](Session&, Speaker& speaker) {
    const auto bytes = speaker.sealed(frame);
    return Writer().raw(bytes).raw(bytes).take();
  });
  refused("left out", [&](Session&, Speaker& speaker) {
    speaker.sealed(frame);
    return speaker.sealed(frame);
  });
  refused("sent back", [&](Session& session, Speaker&) {
    return Writer().raw(frame).raw(session.seal({frame})).take();
  });
  refused("of another connection", [&](Session&, Speaker&) {
    Session other(terms);
    Speaker speaker;
    introduce(other, speaker);
    return speaker.sealed(frame);
  });
}

// Whatever arrives, the result is an event or Garbled. With the sanitizers this shows that no length is
// trusted.
TEST(TcpSession, SurvivesAnyBytes) {
  std::mt19937 random(7);
  for (int round = 0; round < 3000; ++round) {
    Session session(terms);
    Speaker speaker;
    try {
      if (round % 3 != 0) introduce(session, speaker);
      const auto give = tcp::give(1, 1, {{0, 2}, {4, 1}}, bytes_of("a record of some length"));
      auto bytes = round % 3 == 0 ? greeting(speaker.mine) : speaker.sealed(give);
      const auto abort = with_text(Kind::abort, 0, 3, "a reason");
      const auto more = round % 3 == 0 ? abort : speaker.sealed(abort);
      bytes.insert(bytes.end(), more.begin(), more.end());
      for (auto changes = random() % 6; changes > 0; --changes) {
        bytes[random() % bytes.size()] = static_cast<std::byte>(random());
      }
      hear(session, bytes, 1 + random() % 64);
    } catch (const Garbled&) {
    }
  }
}

}  // namespace
}  // namespace muster::worker::tcp
