// What the TCP transport does if nothing goes wrong.
#include "fixtures/scratch_directory.hpp"
#include "loopback_ranks.hpp"

#include <atomic>
#include <numeric>

#include <gtest/gtest.h>

namespace muster::worker::tcp {
namespace {

std::vector<std::string> no_errors(int size) {
  return std::vector<std::string>(static_cast<std::size_t>(size));
}

Deadline soon() {
  return Deadline{std::chrono::seconds{20}};
}

std::vector<int> all(int size) {
  std::vector<int> ranks(static_cast<std::size_t>(size));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

std::string said(std::uint32_t phase, int rank) {
  return "rank " + std::to_string(rank) + " in " + std::to_string(phase);
}

// Every rank reads the ranks in `wanted`, in `phases` phases.
void talk(Transport& transport, int rank, std::uint32_t phases, const std::vector<int>& wanted) {
  for (std::uint32_t phase = 1; phase <= phases; ++phase) {
    const auto read =
        transport.exchange({phase, "exchange"}, bytes_of(said(phase, rank)), wanted, soon());
    ASSERT_EQ(read.size(), wanted.size());
    for (std::size_t i = 0; i < read.size(); ++i) {
      EXPECT_EQ(text_of(read[i]), said(phase, wanted[i])) << "of rank " << wanted[i];
    }
  }
}

TEST(TcpExchange, GivesEveryRankWhatEveryOtherSaid) {
  LoopbackRanks ranks(5);
  EXPECT_EQ(ranks.run([](Transport& transport, int rank) { talk(transport, rank, 3, all(5)); }),
            no_errors(5));
}

TEST(TcpExchange, GivesSomeInAnyOrderAndMoreThanOnce) {
  LoopbackRanks ranks(4);
  EXPECT_EQ(ranks.run([](Transport& transport, int rank) {
    talk(transport, rank, 2, rank == 2 ? std::vector<int>{3, 0, 3} : std::vector<int>{});
  }),
            no_errors(4));
}

TEST(TcpExchange, IsAloneWithOneRank) {
  LoopbackRanks ranks(1);
  EXPECT_EQ(ranks.run([](Transport& transport, int rank) { talk(transport, rank, 2, {0}); }),
            no_errors(1));
}

TEST(TcpExchange, CarriesTheLongestRecords) {
  LoopbackRanks ranks(3);
  const std::string longest(MUSTER_MAX_BLOB, 'x');
  const auto work = [&](Transport& transport, int rank) {
    const auto mine = bytes_of(longest + std::to_string(rank));
    const auto read = transport.exchange({1, "exchange"}, mine, all(3), soon());
    for (int other = 0; other < 3; ++other) {
      EXPECT_EQ(text_of(read[static_cast<std::size_t>(other)]), longest + std::to_string(other));
    }
  };
  EXPECT_EQ(ranks.run(work), no_errors(3));
}

TEST(TcpExchange, WaitsForTheLast) {
  LoopbackRanks ranks(4);
  std::atomic<bool> last_came = false;
  const auto work = [&](Transport& transport, int rank) {
    if (rank == 3) {
      std::this_thread::sleep_for(std::chrono::milliseconds{300});
      last_came = true;
    }
    transport.exchange({1, "barrier"}, bytes_of("x"), {}, soon());
    EXPECT_TRUE(last_came) << "rank " << rank;
  };
  EXPECT_EQ(ranks.run(work), no_errors(4));
}

TEST(TcpExchange, NeedsNoOrderOfComing) {
  LoopbackRanks ranks(3);
  const auto work = [&](Transport& transport, int rank) { talk(transport, rank, 1, all(3)); };
  std::vector<std::string> early;
  std::thread others([&] { early = ranks.run({1, 2}, work); });
  std::this_thread::sleep_for(std::chrono::milliseconds{200});
  EXPECT_EQ(ranks.run({0}, work), no_errors(3)) << "rank 0 listens last";
  others.join();
  EXPECT_EQ(early, no_errors(3));
}

TEST(TcpExchange, WorksWithoutAKey) {
  LoopbackRanks ranks(3);
  ranks.change = [](int, Environment::Map& variables) {
    variables["MUSTER_EXCHANGE_KEY"] = "";
    variables["SLURM_JOB_ID"] = "42";
  };
  EXPECT_EQ(ranks.run([](Transport& transport, int rank) { talk(transport, rank, 2, all(3)); }),
            no_errors(3));
}

TEST(TcpExchange, WorksByASecretThatAllRanksMakeAtOnce) {
  const fixtures::ScratchDirectory directory;
  for (int round = 0; round < 10; ++round) {
    LoopbackRanks ranks(8);
    ranks.change = [&](int, Environment::Map& variables) {
      variables.erase("MUSTER_EXCHANGE_KEY");
      variables["MUSTER_SECRET_FILE"] = directory.path("new/" + std::to_string(round) + "/secret");
    };
    EXPECT_EQ(ranks.run([](Transport& transport, int rank) { talk(transport, rank, 1, all(8)); }),
              no_errors(8));
  }
}

TEST(TcpExchange, NeedsNoSecretWhereARankIsAlone) {
  LoopbackRanks ranks(1);
  ranks.change = [](int, Environment::Map& variables) {
    variables.erase("MUSTER_EXCHANGE_KEY");
    variables["MUSTER_SECRET_FILE"] = "/dev/null/none";
  };
  EXPECT_EQ(ranks.run([](Transport& transport, int rank) { talk(transport, rank, 1, {0}); }),
            no_errors(1));
}

TEST(TcpExchange, WorksOverIpv6AndAName) {
  std::vector<std::string> hosts{"[::1]"};
// ThreadSanitizer crashes on the thread that glibc's getaddrinfo_a() starts.
#ifndef __SANITIZE_THREAD__
  hosts.emplace_back("localhost");
#endif
  for (const auto& host : hosts) {
    LoopbackRanks ranks(3);
    ranks.change = [&](int, Environment::Map& variables) {
      variables["MUSTER_EXCHANGE"] = host + ":" + std::to_string(ranks.port());
    };
    EXPECT_EQ(ranks.run([](Transport& transport, int rank) { talk(transport, rank, 1, all(3)); }),
              no_errors(3))
        << host;
  }
}

TEST(TcpExchange, TellsWhoIsWhere) {
  LoopbackRanks ranks(5);
  const auto work = [&](Transport& transport, int rank) {
    EXPECT_TRUE(transport.local_ranks().empty()) << "nobody has said so yet";
    talk(transport, rank, 2, {4, 0});
    EXPECT_EQ(transport.node_of(4), "node2");
    EXPECT_EQ(transport.node_of(0), "node0");
    EXPECT_EQ(transport.node_of(rank), "node" + std::to_string(rank / 2));
    const auto expected =
        rank == 4 ? std::vector<int>{4} : std::vector<int>{rank - rank % 2, rank - rank % 2 + 1};
    EXPECT_EQ(transport.local_ranks(), expected);
  };
  EXPECT_EQ(ranks.run(work), no_errors(5));
}

TEST(TcpExchange, CanBeginAgainAfterItHasEnded) {
  LoopbackRanks ranks(4);
  const auto work = [&](Transport& first, int rank) {
    talk(first, rank, 1, all(4));
    first.finalize(soon());
    for (int again = 0; again < 5; ++again) {
      const auto next = ranks.make(rank);
      talk(*next, rank, 2, all(4));
      next->finalize(soon());
    }
  };
  EXPECT_EQ(ranks.run(work), no_errors(4));
}

TEST(TcpExchange, SaysWhoThisProcessIs) {
  LoopbackRanks ranks(4);
  const auto transport = ranks.make(3);
  EXPECT_EQ(transport->kind(), MUSTER_TRANSPORT_TCP);
  EXPECT_EQ(transport->rank_info().rank, 3);
  EXPECT_EQ(transport->rank_info().size, 4);
  EXPECT_EQ(transport->rank_info().node, "node1");
  EXPECT_FALSE(transport->rank_info().address.empty());
}

TEST(TcpExchange, TakesMoreRanksThanFitIntoOneRead) {
  constexpr int size = 200;
  LoopbackRanks ranks(size);
  EXPECT_EQ(ranks.run([](Transport& transport, int rank) { talk(transport, rank, 2, all(size)); }),
            no_errors(size));
}

}  // namespace
}  // namespace muster::worker::tcp
