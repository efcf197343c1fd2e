#include "worker/phase.hpp"

#include "transport_double.hpp"
#include "worker/error.hpp"

#include <atomic>
#include <cstring>
#include <mutex>
#include <set>

#include <gtest/gtest.h>

namespace muster::worker {
namespace {

Deadline soon() {
  return Deadline{std::chrono::seconds{10}};
}

Bytes bytes(std::string_view text) {
  const auto view = std::as_bytes(std::span{text});
  return {view.begin(), view.end()};
}

const Call shapes{.tag = "exchange:shapes", .what = "exchange 'shapes'"};

// What each rank that refused reported.
std::vector<std::string> refusals(const std::shared_ptr<Room>& room,
                                  const std::function<void(Transport&)>& body) {
  std::mutex mutex;
  std::vector<std::string> texts(static_cast<std::size_t>(room->size()));
  as_ranks(room, [&](Transport& transport) {
    try {
      body(transport);
    } catch (const Error& error) {
      const std::lock_guard lock{mutex};
      EXPECT_EQ(error.status(), MUSTER_ERR_MISMATCH);
      texts[static_cast<std::size_t>(transport.rank_info().rank)] = error.what();
    }
  });
  return texts;
}

TEST(Phases, GiveEachRankWhatItWantsInTheOrderItAsked) {
  as_ranks(5, [](Transport& transport) {
    Phases phases{transport};
    const auto mine = bytes("from " + std::to_string(transport.rank_info().rank));
    const std::vector<int> wanted{4, 0, 2, 0};
    for (int round = 0; round < 3; ++round) {
      const auto records = phases.run(shapes, mine, wanted, soon());
      ASSERT_EQ(records.size(), wanted.size());
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        EXPECT_EQ(records[i].payload, bytes("from " + std::to_string(wanted[i])));
        EXPECT_EQ(records[i].rank, wanted[i]);
      }
    }
    EXPECT_EQ(phases.count(), 3u);
  });
}

// Over PMIx each name is a query to libpmix's thread.
TEST(Phases, AskForNoNodesNameUnlessThereIsSomethingToSay) {
  const auto room = std::make_shared<Room>(4);
  std::atomic<int> names = 0;
  room->node = [&](int rank) {
    ++names;
    return rank / 2;
  };
  const std::vector<int> wanted{0, 3};
  as_ranks(room, [](Transport&) {});
  const int own = names.exchange(0);  // the double asks for its own name
  as_ranks(room, [&](Transport& transport) { Phases{transport}.run(shapes, {}, wanted, soon()); });
  EXPECT_EQ(names, own);
}

TEST(Phases, TellAnotherTagToTheNextRankAndToTheOddOne) {
  const auto texts = refusals(std::make_shared<Room>(4), [](Transport& transport) {
    Phases phases{transport};
    const auto& call =
        transport.rank_info().rank == 2 ? Call{.tag = "barrier", .what = "barrier"} : shapes;
    phases.run(call, {}, {}, soon());
  });
  EXPECT_EQ(texts[0], "");
  EXPECT_EQ(texts[1], "");
  EXPECT_EQ(
      texts[2],
      "rank 1 (node1) is in call 1, exchange:shapes, and this rank, 2, in call 1, barrier: every "
      "rank must make the same calls in the same order");
  EXPECT_NE(texts[3].find("rank 2 (node2) is in call 1, barrier"), std::string::npos);
}

TEST(Phases, TellARankThatIsOneCallBehind) {
  const auto texts = refusals(std::make_shared<Room>(2), [](Transport& transport) {
    Phases phases{transport};
    phases.run(shapes, {}, {}, soon());
    // Rank 0 starts counting again.
    Phases again{transport};
    (transport.rank_info().rank == 0 ? again : phases).run(shapes, {}, {}, soon());
  });
  EXPECT_EQ(texts[0].find("rank 1 (node1) is in call 2"), 0u);
  EXPECT_EQ(texts[1].find("rank 0 (node1) is in call 1"), 0u);
}

TEST(Phases, TellADifferentSizeOfABroadcast) {
  const auto texts = refusals(std::make_shared<Room>(3), [](Transport& transport) {
    Phases phases{transport};
    Call call{.tag = "broadcast:0", .what = "broadcast from rank 0"};
    call.expected = transport.rank_info().rank == 1 ? 9 : 8;
    phases.run(call, {}, std::vector<int>{0}, soon());
  });
  EXPECT_EQ(
      texts[1],
      "rank 0 (node1) called broadcast from rank 0 with 8 bytes, and this rank, 1, with 9: the "
      "size must be the same on every rank");
  EXPECT_NE(texts[2], "");
}

TEST(Phases, TellAnotherReleaseOfTheLibraryByNode) {
  auto room = std::make_shared<Room>(4);
  room->tamper = [](int rank, Bytes& record) {
    if (rank == 3) record[6] = std::byte{200};
  };
  const auto texts =
      refusals(room, [](Transport& transport) { Phases{transport}.run(shapes, {}, {}, soon()); });
  const auto own =
      std::to_string(MUSTER_VERSION_MAJOR) + '.' + std::to_string(MUSTER_VERSION_MINOR);
  EXPECT_EQ(texts[0], "rank 3 (node2) has muster 2.0, and this rank, 0, has " + own +
                          ": use the same muster release on every rank");
}

TEST(Phases, KeepTheirMessageOneLineWhateverTheTagIs) {
  const auto texts = refusals(std::make_shared<Room>(2), [](Transport& transport) {
    const bool odd = transport.rank_info().rank == 1;
    const Call call{.tag = odd ? "exchange:\n\x1b[2J" : "exchange:a", .what = "exchange"};
    Phases{transport}.run(call, {}, {}, soon());
  });
  for (const auto& text : texts) {
    EXPECT_NE(text.find("exchange:  [2J"), std::string::npos) << text;
    EXPECT_EQ(text.find_first_of("\n\x1b"), std::string::npos) << text;
  }
}

// If all neighbours agree, all ranks agree: if one differs, some rank notices.
TEST(Phases, FindAnySingleRankThatIsInAnotherCall) {
  for (const int size : {2, 3, 8}) {
    for (int odd = 0; odd < size; ++odd) {
      const auto texts = refusals(std::make_shared<Room>(size), [&](Transport& transport) {
        Call call = shapes;
        if (transport.rank_info().rank == odd) call.tag = "other";
        Phases{transport}.run(call, {}, {}, soon());
      });
      const auto noticed = std::count_if(texts.begin(), texts.end(),
                                         [](const std::string& text) { return !text.empty(); });
      EXPECT_EQ(noticed, 2) << size << " ranks, odd one " << odd;
    }
  }
}

}  // namespace
}  // namespace muster::worker
