// What every rank learns when one of them is missing, dies, stops or does not belong to this step.
#include "fixtures/scratch_directory.hpp"
#include "hand_made_rank.hpp"
#include "loopback_ranks.hpp"
#include "relay.hpp"
#include "worker/tcp/proof.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace muster::worker::tcp {
namespace {

using std::chrono::milliseconds;
using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

constexpr milliseconds patient{20'000};
static_assert(patient < greeted_timeout);

auto says(const std::string& status, const std::string& text) {
  return AllOf(StartsWith(status + ": "), HasSubstr(text));
}

void call(Transport& transport, std::uint32_t phase, milliseconds time = patient) {
  transport.exchange({phase, "barrier"}, bytes_of("x"), {}, Deadline{time});
}

// Every rank gives this text and reads those of all ranks.
void tell_all(Transport& transport, const std::string& text) {
  transport.exchange({1, "allgather"}, bytes_of(text), std::vector<int>{0, 1}, Deadline{patient});
}

void replace(std::string& bytes, const std::string& text, const std::string& by) {
  for (auto at = bytes.find(text); at != std::string::npos; at = bytes.find(text, at + 1)) {
    bytes.replace(at, text.size(), by);
  }
}

// All ranks except 0 reach rank 0 through the relay.
auto through(const Relay& relay) {
  return [&relay](int rank, Environment::Map& variables) {
    if (rank > 0) variables["MUSTER_EXCHANGE"] = "127.0.0.1:" + std::to_string(relay.port());
  };
}

class Stopwatch {
 public:
  milliseconds time() const {
    return std::chrono::duration_cast<milliseconds>(Deadline::Clock::now() - start_);
  }

 private:
  Deadline::Clock::time_point start_ = Deadline::Clock::now();
};

TEST(TcpFaults, ARankThatDiesIsNamedAtOnceToAll) {
  LoopbackRanks ranks(4);
  const Stopwatch watch;
  const auto errors = ranks.run([&](Transport& transport, int rank) {
    call(transport, 1);
    if (rank != 2) call(transport, 2);  // 2 ends and says nothing
  });
  const auto lost = says("peer", "barrier: rank 2 (node1) is lost: it has exited or left, after");
  EXPECT_THAT(errors, ElementsAre(lost, lost, IsEmpty(), lost));
  EXPECT_LT(watch.time(), patient / 4);
}

TEST(TcpFaults, ARankThatHasLeftIsNamedAtOnceToAll) {
  LoopbackRanks ranks(3);
  const auto errors = ranks.run([&](Transport& transport, int rank) {
    call(transport, 1);
    if (rank == 1) return transport.finalize(Deadline{patient});
    call(transport, 2);
  });
  const auto left = says("peer", "rank 1 (node0) left before this call");
  EXPECT_THAT(errors, ElementsAre(left, IsEmpty(), left));
}

TEST(TcpFaults, RanksThatNeverComeAreNamedToAll) {
  LoopbackRanks ranks(8);
  const Stopwatch watch;
  const auto errors = ranks.run(
      {0, 1, 4, 7}, [](Transport& transport, int) { call(transport, 1, milliseconds{1000}); });
  const auto missing = AllOf(says("timeout", "barrier: ranks 2-3, 5-6 never connected within "),
                             HasSubstr(" s (4 of 8 ranks are here)"));
  for (const int rank : {0, 1, 4, 7}) EXPECT_THAT(errors[static_cast<std::size_t>(rank)], missing);
  EXPECT_LT(watch.time(), milliseconds{3000});
}

TEST(TcpFaults, ARankThatIsNotInTheCallIsNamedWithItsNode) {
  LoopbackRanks ranks(4);
  std::atomic<bool> over = false;
  const auto errors = ranks.run([&](Transport& transport, int rank) {
    call(transport, 1);
    if (rank == 3) {
      while (!over) std::this_thread::sleep_for(milliseconds{10});
      return;
    }
    try {
      call(transport, 2, milliseconds{500});
    } catch (const Error&) {
      over = true;
      throw;
    }
  });
  const auto elsewhere = says("timeout", "rank 3 (node1) is connected but not in this call within");
  EXPECT_THAT(errors, ElementsAre(elsewhere, elsewhere, elsewhere, IsEmpty()));
}

TEST(TcpFaults, TheShortestDeadlineOfAnyRankHoldsForAll) {
  LoopbackRanks ranks(3);
  const Stopwatch watch;
  const auto errors = ranks.run({0, 1}, [](Transport& transport, int rank) {
    call(transport, 1, rank == 1 ? milliseconds{500} : patient);
  });
  EXPECT_THAT(errors[0], says("timeout", "rank 2 never connected"));
  EXPECT_THAT(errors[1], says("timeout", "rank 2 never connected"));
  EXPECT_LT(watch.time(), patient / 4);
}

TEST(TcpFaults, ARank0ThatIsNotThereIsToldByEveryOther) {
  LoopbackRanks ranks(3);
  const auto errors =
      ranks.run({1, 2}, [](Transport& transport, int) { call(transport, 1, milliseconds{300}); });
  const auto none =
      AllOf(says("timeout", "barrier: could not reach rank 0 at 127.0.0.1:"),
            HasSubstr("(MUSTER_EXCHANGE) within "), HasSubstr(" s: Connection refused"));
  EXPECT_THAT(errors, ElementsAre(IsEmpty(), none, none));
}

TEST(TcpFaults, ARank0ThatIsNotInTheCallIsToldByEveryOther) {
  LoopbackRanks ranks(2);
  const auto rank_0 = ranks.make(0);
  const auto errors =
      ranks.run({1}, [](Transport& transport, int) { call(transport, 1, milliseconds{300}); });
  EXPECT_THAT(errors[1], says("timeout", "it accepts connections but does not answer"));
}

TEST(TcpFaults, ARank0ThatStopsLaterIsToldByEveryOther) {
  LoopbackRanks ranks(2);
  std::atomic<bool> over = false;
  const auto errors = ranks.run([&](Transport& transport, int rank) {
    call(transport, 1);
    if (rank == 1) {
      try {
        call(transport, 2, milliseconds{300});
      } catch (const Error&) {
        over = true;
        throw;
      }
    }
    while (!over) std::this_thread::sleep_for(milliseconds{10});
  });
  EXPECT_THAT(errors[1], says("timeout", "rank 0 (node0, 127.0.0.1:"));
  EXPECT_THAT(errors[1], HasSubstr("has not answered within "));
}

TEST(TcpFaults, ARank0ThatDiesIsToldAtOnceByEveryOther) {
  LoopbackRanks ranks(3);
  const Stopwatch watch;
  const auto errors = ranks.run([&](Transport& transport, int rank) {
    call(transport, 1);
    if (rank != 0) call(transport, 2);
  });
  const auto lost = says("peer", "barrier: lost rank 0 (node0, 127.0.0.1:");
  EXPECT_THAT(errors, ElementsAre(IsEmpty(), lost, lost));
  EXPECT_LT(watch.time(), patient / 4);
}

TEST(TcpFaults, RanksInDifferentCallsAreToldSo) {
  LoopbackRanks ranks(3);
  const auto errors =
      ranks.run([](Transport& transport, int rank) { call(transport, rank == 2 ? 7 : 1); });
  EXPECT_THAT(errors, Each(says("mismatch", "rank 2 (node1) is in call 7 and rank 0 in call 1")));
}

TEST(TcpFaults, ARankThatComesJustAfterTheFailureIsToldOfIt) {
  LoopbackRanks ranks(4);
  const Stopwatch watch;
  const auto errors = ranks.run([](Transport& transport, int rank) {
    if (rank == 3) std::this_thread::sleep_for(milliseconds{300});
    call(transport, rank == 2 ? 7 : 1);
  });
  EXPECT_THAT(errors, Each(says("mismatch", "rank 2 (node1) is in call 7")));
  EXPECT_LT(watch.time(), patient / 4);
}

TEST(TcpFaults, TwoProcessesWithOneRankAreToldSo) {
  LoopbackRanks ranks(4);
  ranks.change = [](int rank, Environment::Map& variables) {
    if (rank == 3) variables["RANK"] = "1";
  };
  const auto errors = ranks.run([](Transport& transport, int) { call(transport, 1); });
  EXPECT_THAT(errors[0], says("mismatch", "two processes claim to be rank 1, on node"));
  EXPECT_THAT(errors[1], errors[0]);
  EXPECT_THAT(errors[3], errors[0]);
}

TEST(TcpFaults, TwoProcessesWithRank0AreToldSo) {
  LoopbackRanks ranks(2);
  const auto first = ranks.make(0);
  EXPECT_THAT(ranks.run({0}, [](Transport&, int) {})[0],
              says("transport", "rank 0 cannot listen on port"));
}

TEST(TcpFaults, RanksOfDifferentSizesAreToldSo) {
  LoopbackRanks ranks(3);
  ranks.change = [](int rank, Environment::Map& variables) {
    if (rank == 1) variables["WORLD_SIZE"] = "4";
  };
  const auto errors = ranks.run({0, 1}, [](Transport& transport, int) { call(transport, 1); });
  EXPECT_THAT(errors[0], says("mismatch", "rank 1 (node0) expects 4 ranks, and rank 0 expects 3"));
  EXPECT_EQ(errors[1], errors[0]);
}

TEST(TcpFaults, AnotherKeyIsToldAtBothEnds) {
  LoopbackRanks ranks(2);
  ranks.change = [](int rank, Environment::Map& variables) {
    if (rank == 1) variables["MUSTER_EXCHANGE_KEY"] = key_b;
  };
  const auto errors =
      ranks.run([](Transport& transport, int) { call(transport, 1, milliseconds{500}); });
  EXPECT_THAT(errors[0], says("timeout", "rank 1 never connected"));
  EXPECT_THAT(errors[0], HasSubstr("it did not prove that it has this step's key"));
  EXPECT_THAT(errors[1],
              says("mismatch", "it did not prove that it has this step's key: set the same "));
}

TEST(TcpFaults, AnotherSecretIsToldAtBothEndsWithTheRemedy) {
  const fixtures::ScratchDirectory directory;
  LoopbackRanks ranks(2);
  ranks.change = [&](int rank, Environment::Map& variables) {
    variables.erase("MUSTER_EXCHANGE_KEY");
    variables["MUSTER_SECRET_FILE"] = directory.path("of-node" + std::to_string(rank));
  };
  const auto errors =
      ranks.run([](Transport& transport, int) { call(transport, 1, milliseconds{500}); });
  EXPECT_THAT(errors[0], says("timeout", "it did not prove that it has this step's key"));
  EXPECT_THAT(errors[0], HasSubstr("/of-node0 and 127.0.0.1:"));
  EXPECT_THAT(
      errors[1],
      says("mismatch", "it did not prove that it has this step's key: this rank's key comes from"));
  EXPECT_THAT(errors[1], HasSubstr("/of-node1 and 127.0.0.1:"));
  for (const auto& error : errors) {
    EXPECT_THAT(error, HasSubstr("copy this file to every node, or set MUSTER_SECRET_FILE or "
                                 "MUSTER_EXCHANGE_KEY to the same value on all ranks"));
  }
}

TEST(TcpFaults, NoSecretIsAnErrorWithTheRemedy) {
  const fixtures::ScratchDirectory directory;
  const auto not_a_directory = directory.write("file", "");
  LoopbackRanks ranks(2);
  ranks.change = [&](int, Environment::Map& variables) {
    variables.erase("MUSTER_EXCHANGE_KEY");
    variables["MUSTER_SECRET_FILE"] = not_a_directory + "/secret";
  };
  const auto errors = ranks.run([](Transport& transport, int) { call(transport, 1); });
  EXPECT_THAT(errors, Each(says("environment", "no key for the exchange between the ranks: ")));
  EXPECT_THAT(errors, Each(HasSubstr("set but empty: no key")));
}

TEST(TcpFaults, AKeyAndNoneDoNotMeet) {
  for (const int keyless : {0, 1}) {
    LoopbackRanks ranks(2);
    ranks.change = [&](int rank, Environment::Map& variables) {
      if (rank == keyless) variables["MUSTER_EXCHANGE_KEY"] = "";
    };
    const auto errors =
        ranks.run([](Transport& transport, int) { call(transport, 1, milliseconds{300}); });
    EXPECT_THAT(errors[0], says("timeout", "rank 1 never connected"));
    EXPECT_THAT(errors[1], says("mismatch", "did not prove"));
  }
}

TEST(TcpFaults, AnotherJobsRank0IsNotOurs) {
  LoopbackRanks ranks(2);
  ranks.change = [](int rank, Environment::Map& variables) {
    variables["MUSTER_EXCHANGE_KEY"] = "";
    variables["SLURM_JOB_ID"] = rank == 0 ? "41" : "42";
    variables["SLURM_STEP_ID"] = "0";
  };
  const auto errors =
      ranks.run([](Transport& transport, int) { call(transport, 1, milliseconds{300}); });
  EXPECT_THAT(errors[0], says("timeout", "rank 1 never connected"));
  EXPECT_THAT(errors[1], says("mismatch", "it belongs to step 41.0 and this rank to step 42.0"));
}

TEST(TcpFaults, AnotherProgramAtRank0sPlaceIsToldSo) {
  LoopbackRanks ranks(2);
  const auto listener = listen_at(ranks.port(), "a test");
  std::thread web([&] {
    Socket socket;
    while (!socket) socket = accept_one(listener).socket;
    send(socket, bytes_of("HTTP/1.1 400 Bad Request\r\n\r\n" + std::string(200, 'x')));
    std::this_thread::sleep_for(milliseconds{400});
  });
  const auto errors =
      ranks.run({1}, [](Transport& transport, int) { call(transport, 1, milliseconds{300}); });
  web.join();
  EXPECT_THAT(errors[1], says("mismatch", "another program is listening there"));
}

// No release sends this, but a rank 0 that has the key could.
TEST(TcpFaults, AFailureWithoutAReasonStillIsALine) {
  LoopbackRanks ranks(2);
  const auto listener = listen_at(ranks.port(), "a test");
  std::thread rank_0([&] {
    Socket socket;
    while (!socket) socket = accept_one(listener).socket;
    Reader reader(socket);
    const auto theirs = parse_greeting(reader.read(greeting_bytes, Deadline{patient}.end())).nonce;
    const auto mine = make_nonce();
    const auto self = to_bytes(Introduction{.rank = 0, .size = 2, .job = "", .node = "node0"});
    const auto key = endpoint_of(ranks.environment(0), user_secret).key.bytes;
    send(socket, reply(mine, prove(key, server_role, theirs, mine, self), self));
    const auto failure = with_text(Kind::failure, 1, MUSTER_ERR_PEER, "");
    send(socket, failure);
    send(socket, secret::Seal(key, server_role, theirs, mine).next({failure}));
    hear(socket, milliseconds{1000});
  });
  const auto errors =
      ranks.run({1}, [](Transport& transport, int) { call(transport, 1, milliseconds{5000}); });
  rank_0.join();
  EXPECT_THAT(errors[1], says("peer", "rank 0 (node0, 127.0.0.1:"));
  EXPECT_THAT(errors[1], says("peer", "gave up without giving a reason"));
}

TEST(TcpFaults, AnAbortReachesAll) {
  for (const int who : {1, 0}) {
    LoopbackRanks ranks(3);
    const Stopwatch watch;
    const auto errors = ranks.run([&](Transport& transport, int rank) {
      call(transport, 1);
      if (rank == who) return transport.abort(3, "no data\nleft", Deadline{patient});
      call(transport, 2);
    });
    const auto told = says("peer", "rank " + std::to_string(who) + " (node0) has aborted the step");
    for (const int rank : {0, 1, 2}) {
      const auto& error = errors[static_cast<std::size_t>(rank)];
      if (rank == who) continue;
      EXPECT_THAT(error, told);
      EXPECT_THAT(error, HasSubstr("no data left"));
    }
    EXPECT_LT(watch.time(), patient / 4);
  }
}

TEST(TcpFaults, AnAbortBeforeTheFirstCallReachesAll) {
  LoopbackRanks ranks(3);
  const auto errors = ranks.run([&](Transport& transport, int rank) {
    if (rank == 1) return transport.abort(3, "", Deadline{patient});
    call(transport, 1);
  });
  EXPECT_THAT(errors[0], says("peer", "rank 1 (node0) has aborted the step"));
}

// ------------------------------------------------------------ unauthenticated connections

TEST(TcpFaults, UnauthenticatedConnectionsNeitherBlockNorEndTheStep) {
  LoopbackRanks ranks(3);
  const auto rank_0 = ranks.make(0);
  const auto silent = knock(ranks.port());
  const auto rubbish = knock(ranks.port());
  send(rubbish, bytes_of(std::string(100'000, 'z')));
  const auto half = knock(ranks.port());
  send(half, View{greeting(make_nonce())}.first(17));
  const auto gone = knock(ranks.port()).fd();
  static_cast<void>(gone);
  std::vector<std::string> errors;
  std::thread others([&] {
    errors = ranks.run({1, 2}, [](Transport& transport, int) { call(transport, 1); });
  });
  EXPECT_NO_THROW(call(*rank_0, 1));
  others.join();
  EXPECT_THAT(errors, Each(IsEmpty()));
}

TEST(TcpFaults, ManySilentConnectionsOnlyDelayTheStep) {
  LoopbackRanks ranks(2);
  const auto rank_0 = ranks.make(0);
  std::vector<Socket> silent;
  for (std::size_t i = 0; i < max_unauthenticated + 40; ++i) silent.push_back(knock(ranks.port()));
  std::this_thread::sleep_for(milliseconds{100});
  const Stopwatch watch;
  std::vector<std::string> errors;
  std::thread other(
      [&] { errors = ranks.run({1}, [](Transport& transport, int) { call(transport, 1); }); });
  EXPECT_NO_THROW(call(*rank_0, 1));
  other.join();
  EXPECT_THAT(errors, Each(IsEmpty()));
  EXPECT_LT(watch.time(), silent_timeout);
}

// They speak the protocol and then stop, so they may stay longer, but not beyond rank 0's deadline.
TEST(TcpFaults, ManyGreetersWithoutAProofOnlyDelayTheStep) {
  LoopbackRanks ranks(2);
  const auto rank_0 = ranks.make(0);
  std::vector<Socket> greeters;
  for (std::size_t i = 0; i < max_unauthenticated; ++i) {
    greeters.push_back(knock(ranks.port()));
    wait_for(greeters.back(), Wish::write, Deadline::Clock::now() + patient);
    send(greeters.back(), greeting(make_nonce()));
  }
  std::vector<std::string> errors;
  std::thread other([&] {
    std::this_thread::sleep_for(milliseconds{300});  // the greeters come first
    errors = ranks.run({1}, [](Transport& transport, int) { call(transport, 1); });
  });
  EXPECT_NO_THROW(call(*rank_0, 1));
  other.join();
  EXPECT_THAT(errors, Each(IsEmpty()));
}

TEST(TcpFaults, TheLastThatWasTurnedAwayIsNamedWithItsAddress) {
  LoopbackRanks ranks(2);
  const auto rank_0 = ranks.make(0);
  const auto rubbish = knock(ranks.port());
  send(rubbish, bytes_of(std::string(1000, 'z')));
  try {
    call(*rank_0, 1, milliseconds{300});
    ADD_FAILURE() << "rank 1 never connected";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("; 1 connection was turned away (from 127.0.0.1): it sent "
                                        "something that is not muster's protocol; check"));
  }
}

TEST(TcpFaults, ConnectionsThatOnlyGreetedAreNamedWithTheirAddress) {
  LoopbackRanks ranks(2);
  const auto rank_0 = ranks.make(0);
  std::vector<Socket> greeters;
  for (int i = 0; i < 3; ++i) {
    greeters.push_back(knock(ranks.port()));
    wait_for(greeters.back(), Wish::write, Deadline::Clock::now() + patient);
    send(greeters.back(), greeting(make_nonce()));
  }
  try {
    call(*rank_0, 1, milliseconds{500});
    ADD_FAILURE() << "rank 1 never connected";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("; 3 connections were opened without proof of this step's "
                                        "key so far (3 from 127.0.0.1); check"));
  }
}

TEST(TcpFaults, ARank0WithTooFewFilesSaysSoAtOnce) {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_max > max_size) GTEST_SKIP() << "here anybody may open as many files";
  const HeldPort port;
  Environment::Map variables{{"RANK", "0"}, {"WORLD_SIZE", std::to_string(max_size)}};
  variables["MUSTER_EXCHANGE"] = "127.0.0.1:" + std::to_string(port.number());
  variables["MUSTER_EXCHANGE_KEY"] = key_a;
  std::string error;
  try {
    make_tcp_transport(Environment{variables}, MUSTER_RANKS_AUTO, Deadline{patient});
  } catch (const Error& failed) {
    error = std::string{muster_status_name(failed.status())} + ": " + failed.what();
  }
  EXPECT_THAT(error, says("transport", "rank 0 needs a socket for each of 16777216"));
}

// The other ranks are in a separate process, with a separate limit.
TEST(TcpFaults, ARank0LeavesTheSoftLimitAndItsFileNumbersToTheProgram) {
  constexpr int size = 100;
  constexpr rlim_t low = 64;
  LoopbackRanks ranks(size);
  const pid_t others = fork();
  if (others == 0) {
    std::vector<int> numbers(size - 1);
    std::iota(numbers.begin(), numbers.end(), 1);
    const auto errors = ranks.run(numbers, [](Transport& transport, int) { call(transport, 1); });
    _exit(std::ranges::all_of(errors, &std::string::empty) ? 0 : 1);
  }
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  const rlimit chosen{low, before.rlim_max};
  setrlimit(RLIMIT_NOFILE, &chosen);
  const auto rank_0 = ranks.make(0);
  EXPECT_NO_THROW(call(*rank_0, 1));
  rlimit after{};
  getrlimit(RLIMIT_NOFILE, &after);
  EXPECT_EQ(after.rlim_cur, low);
  const Socket next(open("/dev/null", O_RDONLY | O_CLOEXEC));
  EXPECT_TRUE(next) << "the ranks' sockets take no number of the program's";
  setrlimit(RLIMIT_NOFILE, &before);
  int status = 1;
  waitpid(others, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(TcpFaults, ASilentConnectionLearnsNothing) {
  LoopbackRanks ranks(2);
  const auto rank_0 = ranks.make(0);
  const auto silent = knock(ranks.port());
  EXPECT_ANY_THROW(call(*rank_0, 1, milliseconds{300}));
  EXPECT_EQ(hear(silent, milliseconds{50}), "") << "rank 0 does not speak first";
}

// What one rank sent is worthless in another connection, because rank 0's nonce differs.
TEST(TcpFaults, ARecordedRankIsTurnedAway) {
  LoopbackRanks ranks(2);
  HandMadeRank rank(ranks, 1);
  std::thread host([&] {
    const auto rank_0 = ranks.make(0);
    EXPECT_NO_THROW(call(*rank_0, 1));
  });
  rank.introduce();
  rank.give(1, "record");
  host.join();

  std::string error;
  std::thread again([&] {
    error =
        ranks.run({0}, [](Transport& transport, int) { call(transport, 1, milliseconds{500}); })[0];
  });
  const auto replay = rank.connect_again();
  send(replay, rank.all_sent());
  again.join();
  EXPECT_THAT(error, says("timeout", "rank 1 never connected"));
  EXPECT_THAT(error,
              HasSubstr("it did not prove that it has this step's key (it sent a wrong proof)"));
}

// ------------------------------------------------------------ an attacker between two ranks

TEST(TcpFaults, ARecordThatIsChangedOnItsWayToRank0EndsTheCall) {
  LoopbackRanks ranks(2);
  const Relay relay(ranks.port(), [](bool to_rank_0, std::string& bytes) {
    if (to_rank_0) replace(bytes, "true record", "made-up one");
  });
  ranks.change = through(relay);
  const auto errors =
      ranks.run([](Transport& transport, int) { tell_all(transport, "true record"); });
  EXPECT_THAT(errors[0], says("peer", "rank 1 (node0) is lost: it sent a frame with a wrong MAC"));
  EXPECT_THAT(errors[1], says("peer", "lost rank 0"));
}

TEST(TcpFaults, ARecordThatIsChangedOnItsWayFromRank0EndsTheCall) {
  LoopbackRanks ranks(2);
  const Relay relay(ranks.port(), [](bool to_rank_0, std::string& bytes) {
    if (!to_rank_0) replace(bytes, "true record", "made-up one");
  });
  ranks.change = through(relay);
  const auto errors =
      ranks.run([](Transport& transport, int) { tell_all(transport, "true record"); });
  EXPECT_THAT(errors[1], says("transport", "sent a frame with a wrong MAC"));
}

TEST(TcpFaults, AReasonThatIsChangedOnItsWayIsNotShown) {
  LoopbackRanks ranks(3);
  const Relay relay(ranks.port(), [](bool to_rank_0, std::string& bytes) {
    if (!to_rank_0) replace(bytes, "call 7", "call 8");
  });
  ranks.change = through(relay);
  const auto errors =
      ranks.run([](Transport& transport, int rank) { call(transport, rank == 2 ? 7 : 1); });
  EXPECT_THAT(errors[0], says("mismatch", "is in call 7"));
  EXPECT_THAT(errors[1], says("transport", "sent a frame with a wrong MAC"));
}

TEST(TcpFaults, AnotherReleasesProtocolIsToldByOneLine) {
  LoopbackRanks ranks(2);
  const Relay relay(ranks.port(), [](bool to_rank_0, std::string& bytes) {
    if (!to_rank_0) replace(bytes, std::string{"mstr\3", 5}, std::string{"mstr\1", 5});
  });
  ranks.change = through(relay);
  const auto errors =
      ranks.run([](Transport& transport, int) { call(transport, 1, milliseconds{300}); });
  EXPECT_THAT(errors[1],
              says("mismatch",
                   "it uses protocol format 1, but this rank uses format 3: use the same "
                   "muster release on every rank"));
}

// ------------------------------------------------------------ ranks that misbehave

TEST(TcpFaults, ARankThatDiesWithinItsRecordIsNamed) {
  LoopbackRanks ranks(2);
  std::vector<std::string> errors;
  std::thread host(
      [&] { errors = ranks.run({0}, [](Transport& transport, int) { call(transport, 1); }); });
  {
    HandMadeRank rank(ranks, 1);
    rank.introduce();
    rank.give(1, std::string(1000, 'x'), 500);
  }
  host.join();
  EXPECT_THAT(errors[0], says("peer", "rank 1 (node0) is lost"));
}

TEST(TcpFaults, ARankThatSendsRubbishIsNamed) {
  for (const auto& frame :
       {std::string(16, 'x'), std::string("\x01\0\0\0\1\0\0\0\xff\xff\xff\xff\0\0\0\0", 16),
        std::string("\x01\0\0\0\1\0\0\0\1\0\0\0\xff\xff\xff\xff", 16),
        std::string("\x04\0\0\0\1\0\0\0\1\0\0\0\1\0\0\0", 16)}) {
    LoopbackRanks ranks(2);
    std::vector<std::string> errors;
    std::thread host(
        [&] { errors = ranks.run({0}, [](Transport& transport, int) { call(transport, 1); }); });
    HandMadeRank rank(ranks, 1);
    rank.introduce();
    rank.send_raw(bytes_of(frame));
    host.join();
    EXPECT_THAT(errors[0], says("peer", "rank 1 (node0) is lost: it sent"));
  }
}

TEST(TcpFaults, ARankThatReadsNoAnswerIsNamed) {
  LoopbackRanks ranks(2);
  std::vector<std::string> errors;
  std::atomic<std::uint32_t> phase = 1;
  std::thread host([&] {
    errors = ranks.run({0}, [&](Transport& transport, int) {
      for (; phase <= 40; ++phase) {
        transport.exchange({phase, "broadcast"}, Bytes(MUSTER_MAX_BLOB), {},
                           Deadline{milliseconds{1000}});
      }
    });
    phase = 100;
  });
  HandMadeRank rank(ranks, 1);
  rank.introduce();
  for (std::uint32_t next = 1; next <= 40; ++next) {
    while (phase < next) std::this_thread::sleep_for(milliseconds{1});
    if (phase == next) rank.give(next, "x", SIZE_MAX, {{0, 1}});
  }
  host.join();
  EXPECT_THAT(errors[0], says("timeout", "the answer could not be sent to rank 1 (node0) within "));
}

}  // namespace
}  // namespace muster::worker::tcp
