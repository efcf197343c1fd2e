#include "pmix_double.hpp"
#include "worker/error.hpp"
#include "worker/pmix/pmix.hpp"

#include <atomic>
#include <barrier>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::worker::pmix {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

const std::vector<std::string> block{"a", "a", "b", "b", "c", "c"};
const std::vector<std::string> cyclic{"a", "b", "c", "a", "b", "c"};
const std::vector<int> everyone{0, 1, 2, 3, 4, 5};

Bytes bytes_of(const std::string& text) {
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

std::string text_of(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::unique_ptr<Transport> join(const PmixJob& job, int rank,
                                muster_numbering numbering = MUSTER_RANKS_SLURM,
                                milliseconds timeout = milliseconds{20'000}) {
  return pmix::make_transport(job.api(rank), environment_of(job, rank), numbering,
                              Deadline{timeout});
}

std::vector<std::string> exchange(Transport& transport, std::uint32_t phase,
                                  const std::string& mine, const std::vector<int>& wanted,
                                  milliseconds timeout = milliseconds{20'000}) {
  std::vector<std::string> texts;
  const auto records = transport.exchange({.number = phase, .what = "exchange 'x'"}, bytes_of(mine),
                                          wanted, Deadline{timeout});
  for (const auto& record : records) texts.push_back(text_of(record));
  return texts;
}

struct Failure {
  muster_status status = MUSTER_OK;
  std::string text;
};

template <class Work>
Failure failure_of(Work&& work) {
  try {
    work();
  } catch (const Error& error) {
    return {error.status(), error.what()};
  }
  return {};
}

TEST(PmixTransport, each_rank_reads_what_the_wanted_ranks_gave_in_the_same_phase) {
  PmixJob job{block};
  as_pmix_ranks(everyone, [&](int rank) {
    const auto transport = join(job, rank);
    for (std::uint32_t phase = 1; phase <= 5; ++phase) {
      const auto given = [&](int r) { return std::to_string(r) + "@" + std::to_string(phase); };
      EXPECT_THAT(exchange(*transport, phase, given(rank), {5, 0, 3}),
                  ElementsAre(given(5), given(0), given(3)));
      EXPECT_THAT(exchange(*transport, ++phase, given(rank), {}), ElementsAre());
    }
    transport->finalize(Deadline{milliseconds{1000}});
  });
}

TEST(PmixTransport, numbers_ranks_node_by_node_when_asked) {
  PmixJob job{cyclic};
  as_pmix_ranks(everyone, [&](int procid) {
    const auto transport = join(job, procid, MUSTER_RANKS_CONTIGUOUS);
    const int expected[] = {0, 2, 4, 1, 3, 5};
    EXPECT_EQ(transport->rank_info().rank, expected[procid]);
    EXPECT_EQ(transport->rank_info().procid, procid);
    EXPECT_EQ(transport->rank_info().node_rank, procid % 3);
    EXPECT_THAT(transport->local_ranks(), ElementsAre(procid % 3 * 2, procid % 3 * 2 + 1));
    EXPECT_EQ(transport->node_of(3), "b");
    const auto mine = "procid " + std::to_string(procid);
    EXPECT_THAT(exchange(*transport, 1, mine, {1, 4}), ElementsAre("procid 3", "procid 2"));
  });
}

TEST(PmixTransport, knows_both_numberings_of_any_layout) {
  PmixJob job{{"c", "a", "a", "c", "b"}};
  as_pmix_ranks({0, 1, 2, 3, 4}, [&](int rank) {
    const auto info = join(job, rank)->rank_info();
    const int contiguous[] = {0, 2, 3, 1, 4};
    const int nodes[] = {0, 1, 1, 0, 2};
    EXPECT_EQ(info.rank, rank);
    EXPECT_EQ(info.contiguous_rank, contiguous[rank]);
    EXPECT_EQ(info.node_rank, nodes[rank]);
    EXPECT_EQ(info.node_count, 3);
    EXPECT_EQ(info.local_size, rank == 4 ? 1 : 2);
  });
}

TEST(PmixTransport, lets_nobody_go_before_all_have_come) {
  PmixJob job{block};
  std::atomic<bool> last_has_come{false};
  as_pmix_ranks(everyone, [&](int rank) {
    const auto transport = join(job, rank);
    if (rank == 4) {
      std::this_thread::sleep_for(milliseconds{100});
      last_has_come = true;
    }
    exchange(*transport, 1, "x", {});
    EXPECT_TRUE(last_has_come);
  });
}

TEST(PmixTransport, names_a_rank_that_was_never_there_and_its_node) {
  PmixJob job{block};
  as_pmix_ranks({0, 1, 2, 4, 5}, [&](int rank) {
    const auto transport = join(job, rank);
    const auto failure = failure_of([&] { exchange(*transport, 1, "x", {}, milliseconds{1200}); });
    EXPECT_EQ(failure.status, MUSTER_ERR_TIMEOUT);
    EXPECT_THAT(failure.text,
                AllOf(HasSubstr("exchange 'x': after 1."), HasSubstr(" s no word from rank 3 (b);"),
                      Not(HasSubstr("no answer"))));
  });
}

TEST(PmixTransport, names_a_rank_that_does_not_come_to_a_later_phase) {
  PmixJob job{cyclic};
  as_pmix_ranks(everyone, [&](int procid) {
    const auto transport = join(job, procid, MUSTER_RANKS_CONTIGUOUS);
    exchange(*transport, 1, "x", {});
    if (procid == 4) return std::this_thread::sleep_for(milliseconds{1800});
    const auto failure = failure_of([&] { exchange(*transport, 2, "x", {}, milliseconds{1200}); });
    EXPECT_EQ(failure.status, MUSTER_ERR_TIMEOUT);
    // In the numbering in use.
    EXPECT_THAT(failure.text, HasSubstr("no word from rank 3 (b);"));
  });
}

TEST(PmixTransport, says_when_all_have_come_and_pmix_does_not_end) {
  PmixJob job{block, {.fence_never_ends = true}};
  std::vector<std::unique_ptr<Transport>> abandoned(everyone.size());
  as_pmix_ranks(everyone, [&](int rank) {
    auto transport = join(job, rank);
    const auto failure = failure_of([&] { exchange(*transport, 1, "x", {}, milliseconds{1200}); });
    EXPECT_EQ(failure.status, MUSTER_ERR_TIMEOUT);
    EXPECT_THAT(failure.text, HasSubstr("all 6 ranks have arrived"));
  });
  job.end_fence(status::success);  // no rank is left
}

TEST(PmixTransport, fails_on_every_rank_of_a_small_step_when_one_has_left) {
  PmixJob job{block};
  as_pmix_ranks(everyone, [&](int rank) {
    const auto transport = join(job, rank);
    exchange(*transport, 1, "x", {});
    if (rank == 2) {
      job.die(rank);
      return;
    }
    const std::vector<int> predecessor{(rank + 5) % 6};
    const auto failure =
        failure_of([&] { exchange(*transport, 2, "x", predecessor, milliseconds{2000}); });
    EXPECT_EQ(failure.status, MUSTER_ERR_PEER);
    EXPECT_THAT(failure.text, AllOf(HasSubstr("rank 2 (b) "), HasSubstr("died or left")));
  });
}

TEST(PmixTransport, fails_when_a_wanted_rank_of_another_node_has_given_nothing) {
  PmixJob job{block};
  as_pmix_ranks(everyone, [&](int rank) {
    const auto transport = join(job, rank);
    exchange(*transport, 1, "x", {});
    if (rank == 3) {
      job.die(rank);
      return;
    }
    const auto failure = failure_of([&] { exchange(*transport, 2, "x", {3}, milliseconds{2000}); });
    EXPECT_EQ(failure.status, MUSTER_ERR_PEER);
    EXPECT_THAT(failure.text, AllOf(HasSubstr("rank 3 (b) "), HasSubstr("died or left")));
  });
}

TEST(PmixTransport, tells_deaths_and_slurms_own_limit_apart) {
  const std::map<Status, muster_status> meanings{
      {status::partial_success, MUSTER_ERR_PEER},  {status::lost_connection, MUSTER_ERR_PEER},
      {status::unpack_past_end, MUSTER_ERR_PEER},  {status::timeout, MUSTER_ERR_TIMEOUT},
      {status::unreachable, MUSTER_ERR_TRANSPORT}, {-1, MUSTER_ERR_TRANSPORT}};
  for (const auto& [from, to] : meanings) {
    PmixJob job{{"a", "b"}, {.fence_status = {{0, from}}}};
    const auto transport = join(job, 0);
    const auto failure = failure_of([&] { exchange(*transport, 1, "x", {}, milliseconds{1200}); });
    EXPECT_EQ(failure.status, to) << failure.text;
    EXPECT_THAT(failure.text, HasSubstr("(" + std::to_string(from) + ")"));
    if (from == status::timeout) {
      EXPECT_THAT(failure.text, AllOf(HasSubstr("rank 1 (b)"), HasSubstr("PMIxTimeout")));
    }
  }
}

TEST(PmixTransport, tells_a_put_that_failed) {
  PmixJob job{{"a"}, {.put_status = {{0, status::out_of_memory}}}};
  const auto transport = join(job, 0);
  const auto failure = failure_of([&] { exchange(*transport, 1, "x", {}); });
  EXPECT_EQ(failure.status, MUSTER_ERR_TRANSPORT);
  EXPECT_THAT(failure.text, HasSubstr("out of memory"));
}

TEST(PmixTransport, never_puts_a_key_twice_not_even_after_joining_again) {
  PmixJob job{{"a", "b"}};
  for (const std::string time : {"first", "second"}) {
    // A fence does not wait for a rank that has left and not rejoined.
    std::barrier both_are_here{2};
    as_pmix_ranks({0, 1}, [&](int rank) {
      const auto transport = join(job, rank);
      both_are_here.arrive_and_wait();
      EXPECT_THAT(exchange(*transport, 1, time, {1 - rank}), ElementsAre(time));
      // Only after the other has read: a fence does not wait for a rank that has left.
      exchange(*transport, 2, time, {});
      transport->finalize(Deadline{milliseconds{1000}});
    });
  }
  EXPECT_EQ(job.keys_of(0).size(), 4U);
}

TEST(PmixTransport, reads_a_rank_again_after_the_phase) {
  PmixJob job{{"a", "b"}};
  as_pmix_ranks({0, 1}, [&](int rank) {
    const auto transport = join(job, rank);
    EXPECT_FALSE(transport->recall(1 - rank, Deadline{milliseconds{1000}}));
    exchange(*transport, 1, "from " + std::to_string(rank), {});
    EXPECT_EQ(text_of(*transport->recall(1 - rank, Deadline{milliseconds{1000}})),
              "from " + std::to_string(1 - rank));
  });
}

TEST(PmixTransport, leaves_once_by_itself_or_when_told) {
  PmixJob job{{"a", "b"}};
  join(job, 0);
  EXPECT_EQ(job.times_left(0), 1);
  auto transport = join(job, 1);
  transport->finalize(Deadline{milliseconds{1000}});
  transport.reset();
  EXPECT_EQ(job.times_left(1), 1);
}

TEST(PmixTransport, gives_up_an_init_that_does_not_return) {
  PmixJob job{{"a"}, {.init_hangs = true}};
  const auto failure = failure_of([&] { join(job, 0, MUSTER_RANKS_SLURM, milliseconds{100}); });
  EXPECT_EQ(failure.status, MUSTER_ERR_TIMEOUT);
  EXPECT_THAT(failure.text, HasSubstr("slurmstepd on this node is stopped"));
  std::this_thread::sleep_for(milliseconds{1200});  // the thread that was abandoned
}

TEST(PmixTransport, tells_an_init_that_failed_with_the_library_that_did) {
  PmixJob job{{"a"}, {.init_status = {{0, status::unreachable}}}};
  const auto failure = failure_of([&] { join(job, 0); });
  EXPECT_EQ(failure.status, MUSTER_ERR_TRANSPORT);
  EXPECT_THAT(failure.text, AllOf(HasSubstr("/double/libpmix.so.2"), HasSubstr("(-25)")));
}

TEST(PmixTransport, refuses_sizes_that_cannot_be_and_leaves_again) {
  for (const std::uint32_t size : {0U, 1U, 1U << 30}) {
    PmixJob job{{"a", "a"}, {.size = size}};
    const auto failure = failure_of([&] { join(job, 1); });
    EXPECT_EQ(failure.status, MUSTER_ERR_ENVIRONMENT) << size;
    EXPECT_THAT(failure.text, HasSubstr("rank 1 of " + std::to_string(size)));
    EXPECT_EQ(job.times_left(1), 1);
  }
}

TEST(PmixTransport, refuses_to_be_another_rank_than_slurm_says) {
  PmixJob job{{"a", "a"}};
  const auto failure = failure_of([&] {
    pmix::make_transport(job.api(0), environment_of(job, 1), MUSTER_RANKS_SLURM,
                         Deadline{milliseconds{1000}});
  });
  EXPECT_EQ(failure.status, MUSTER_ERR_ENVIRONMENT);
  EXPECT_THAT(failure.text, HasSubstr("inherited from another step"));
}

TEST(PmixTransport, says_so_when_the_layout_cannot_be_had) {
  PmixJob job{{"a", "b"}, {.resolve_fails = true}};
  const auto failure = failure_of([&] { join(job, 0, MUSTER_RANKS_CONTIGUOUS); });
  EXPECT_EQ(failure.status, MUSTER_ERR_TRANSPORT);
  EXPECT_THAT(failure.text, HasSubstr("names 0 of 2 ranks"));
}

TEST(PmixTransport, aborts_with_the_code) {
  PmixJob job{{"a"}};
  join(job, 0)->abort(42, "enough", Deadline{milliseconds{1000}});
  EXPECT_EQ(job.aborted_with(), 42);
}

TEST(PmixTransport, refuses_more_phases_than_pmix_bears) {
  EXPECT_EQ(pmix::max_phases(8), 2048U);
  EXPECT_EQ(pmix::max_phases(512), 256U);
  EXPECT_EQ(pmix::max_phases(100'000), 100U);
  PmixJob job{{"a"}};
  const auto transport = join(job, 0);
  const auto failure = failure_of([&] { exchange(*transport, pmix::max_phases(1) + 1, "x", {}); });
  EXPECT_EQ(failure.status, MUSTER_ERR_TRANSPORT);
  EXPECT_THAT(failure.text, HasSubstr("at most"));
}

}  // namespace
}  // namespace muster::worker::pmix
