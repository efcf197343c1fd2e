// The C ABI as a program uses it, in a process that is alone; tests/live has the tests with other ranks.
#include "muster/muster.h"

#include <cstdlib>
#include <cstring>
#include <future>
#include <string>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

class Alone : public ::testing::Test {
 protected:
  void SetUp() override {
    // This test may itself run in a step or under torchrun.
    for (const auto* name : {"MUSTER_TRANSPORT", "MUSTER_TIMEOUT"}) ::unsetenv(name);
    muster_options options = MUSTER_OPTIONS;
    options.transport = MUSTER_TRANSPORT_SINGLE;
    ASSERT_EQ(muster_init(&handle, &options), MUSTER_OK) << muster_last_error();
  }
  void TearDown() override { muster_finalize(&handle, MUSTER_DEFAULT); }

  muster_t* handle = nullptr;
};

using AbiAlone = Alone;

TEST_F(AbiAlone, KnowsItself) {
  EXPECT_EQ(muster_rank(handle), 0);
  EXPECT_EQ(muster_size(handle), 1);
  EXPECT_EQ(muster_local_rank(handle), 0);
  EXPECT_EQ(muster_local_size(handle), 1);
  EXPECT_EQ(muster_node_rank(handle), 0);
  EXPECT_EQ(muster_node_count(handle), 1);
  EXPECT_EQ(muster_transport_used(handle), MUSTER_TRANSPORT_SINGLE);
  EXPECT_STRNE(muster_node_name(handle), "");
}

TEST_F(AbiAlone, ExchangesWithItself) {
  muster_blob wanted{.rank = 0, .data = nullptr, .size = 0};
  ASSERT_EQ(muster_exchange(handle, "tag", "abc", 3, &wanted, 1, MUSTER_DEFAULT), MUSTER_OK);
  ASSERT_EQ(wanted.size, 3u);
  EXPECT_EQ(std::memcmp(wanted.data, "abc", 3), 0);
}

TEST_F(AbiAlone, GivesNothingAsNull) {
  muster_blob wanted{.rank = 0, .data = "old", .size = 3};
  ASSERT_EQ(muster_exchange(handle, "tag", nullptr, 0, &wanted, 1, MUSTER_DEFAULT), MUSTER_OK);
  EXPECT_EQ(wanted.data, nullptr);
  EXPECT_EQ(wanted.size, 0u);
}

TEST_F(AbiAlone, RefusesWhatIsTooLargeAndGoesOn) {
  const std::string large(MUSTER_MAX_BLOB + 1, 'x');
  EXPECT_EQ(muster_exchange(handle, "tag", large.data(), large.size(), nullptr, 0, 1000),
            MUSTER_ERR_ARGUMENT);
  EXPECT_STREQ(
      muster_last_error(),
      "1048577 bytes are too many: a rank may contribute at most 1048576; use MPI, NCCL or a file for more");
  EXPECT_EQ(muster_barrier(handle, 1000), MUSTER_OK);
}

TEST_F(AbiAlone, RefusesRanksThatAreNotThere) {
  for (const int rank : {-1, 1, 1 << 30}) {
    muster_blob wanted{.rank = rank, .data = nullptr, .size = 0};
    EXPECT_EQ(muster_exchange(handle, "tag", "a", 1, &wanted, 1, 1000), MUSTER_ERR_ARGUMENT);
    char byte = 0;
    EXPECT_EQ(muster_broadcast(handle, &byte, 1, rank, 1000), MUSTER_ERR_ARGUMENT);
    muster_endpoint endpoint;
    EXPECT_EQ(muster_endpoint_of(handle, rank, &endpoint, 1000), MUSTER_ERR_ARGUMENT);
  }
}

TEST_F(AbiAlone, RefusesTagsThatNameNothing) {
  const std::string long_tag(MUSTER_MAX_TAG + 1, 't');
  for (const char* tag : {static_cast<const char*>(nullptr), "", "a\nb", long_tag.c_str()}) {
    EXPECT_EQ(muster_exchange(handle, tag, "a", 1, nullptr, 0, 1000), MUSTER_ERR_ARGUMENT);
  }
}

TEST_F(AbiAlone, MarksTheTimeSinceTheLastCall) {
  EXPECT_EQ(muster_mark(handle, "model"), MUSTER_OK);
  const std::string too_long(MUSTER_MAX_TAG + 1, 't');
  for (const char* mark : {static_cast<const char*>(nullptr), "", "a\nb", too_long.c_str()}) {
    EXPECT_EQ(muster_mark(handle, mark), MUSTER_ERR_ARGUMENT);
  }
  EXPECT_EQ(muster_mark(nullptr, "model"), MUSTER_ERR_ARGUMENT);
  EXPECT_EQ(muster_barrier(handle, 1000), MUSTER_OK);
}

TEST_F(AbiAlone, RefusesDeadlinesThatAreNone) {
  for (const int timeout : {0, -2, 24 * 60 * 60 * 1000 + 1}) {
    EXPECT_EQ(muster_barrier(handle, timeout), MUSTER_ERR_ARGUMENT) << timeout;
  }
}

TEST_F(AbiAlone, IsOneRankOnly) {
  muster_t* second = handle;
  EXPECT_EQ(muster_init(&second, nullptr), MUSTER_ERR_STATE);
  EXPECT_EQ(second, nullptr);
}

TEST_F(AbiAlone, IsNotItsForksToUse) {
  const pid_t child = ::fork();
  if (child == 0) {
    bool refused = muster_barrier(handle, 1000) == MUSTER_ERR_STATE;
    refused = refused && muster_finalize(&handle, 1000) == MUSTER_ERR_STATE && handle == nullptr;
    ::_exit(refused ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(muster_barrier(handle, 1000), MUSTER_OK);
}

TEST_F(AbiAlone, KeepsEachThreadsErrorApart) {
  ASSERT_EQ(muster_barrier(handle, 0), MUSTER_ERR_ARGUMENT);
  const std::string mine = muster_last_error();
  const auto other =
      std::async(std::launch::async, [] { return std::string{muster_last_error()}; });
  EXPECT_EQ(const_cast<std::future<std::string>&>(other).get(), "");
  EXPECT_EQ(muster_last_error(), mine);
}

TEST_F(AbiAlone, CanBeBegunAgainAfterItsEnd) {
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(muster_finalize(&handle, MUSTER_DEFAULT), MUSTER_OK);
    EXPECT_EQ(handle, nullptr);
    SetUp();
  }
}

TEST_F(AbiAlone, RefusesToEndTheStepWithACodeThatSaysNothing) {
  EXPECT_EQ(muster_abort(handle, 0, "x"), MUSTER_ERR_ARGUMENT);
  EXPECT_EQ(muster_abort(handle, 256, "x"), MUSTER_ERR_ARGUMENT);
}

TEST(Abi, WithoutAHandleAnswersAndDoesNotCrash) {
  EXPECT_EQ(muster_rank(nullptr), -1);
  EXPECT_EQ(muster_size(nullptr), -1);
  EXPECT_EQ(muster_node_name(nullptr), nullptr);
  EXPECT_EQ(muster_barrier(nullptr, 1000), MUSTER_ERR_ARGUMENT);
  EXPECT_NE(std::string{muster_last_error()}.find("muster_init() first"), std::string::npos);
  EXPECT_EQ(muster_finalize(nullptr, 1000), MUSTER_OK);
  EXPECT_EQ(muster_abort(nullptr, 1, ""), MUSTER_ERR_ARGUMENT);
  EXPECT_EQ(muster_init(nullptr, nullptr), MUSTER_ERR_ARGUMENT);
}

TEST(Abi, RefusesOptionsOfNoSizeAndOfAFutureVersion) {
  muster_t* handle = nullptr;
  muster_options options = MUSTER_OPTIONS;
  options.size = 0;
  EXPECT_EQ(muster_init(&handle, &options), MUSTER_ERR_ARGUMENT);
  struct {
    muster_options known;
    long future;
  } newer{MUSTER_OPTIONS, 1};
  newer.known.size = sizeof(newer);
  EXPECT_EQ(muster_init(&handle, &newer.known), MUSTER_ERR_ARGUMENT);
  EXPECT_NE(std::string{muster_last_error()}.find("newer"), std::string::npos);
}

TEST(Abi, TakesOptionsOfAnOlderVersion) {
  muster_t* handle = nullptr;
  ::setenv("MUSTER_TRANSPORT", "single", 1);
  muster_options options = MUSTER_OPTIONS;
  options.size = offsetof(muster_options, transport);
  options.transport = 99;  // after the end of the old structure
  EXPECT_EQ(muster_init(&handle, &options), MUSTER_OK) << muster_last_error();
  muster_finalize(&handle, 1000);
  ::unsetenv("MUSTER_TRANSPORT");
}

TEST(Abi, EndsTheProcessWithTheCodeAndTheReason) {
  const auto begin_and_abort = [] {
    muster_t* handle = nullptr;
    muster_options options = MUSTER_OPTIONS;
    options.transport = MUSTER_TRANSPORT_SINGLE;
    muster_init(&handle, &options);
    muster_abort(handle, 7, "loss is\nNaN");
  };
  EXPECT_EXIT(begin_and_abort(), ::testing::ExitedWithCode(7),
              "muster: error: rank 0 on .* ends the step: loss is NaN");
}

TEST(Abi, NamesEveryStatus) {
  EXPECT_STREQ(muster_status_name(MUSTER_OK), "ok");
  EXPECT_STREQ(muster_status_name(MUSTER_ERR_INTERNAL), "internal");
  EXPECT_STREQ(muster_status_name(MUSTER_ERR_INTERNAL + 1), "unknown");
  EXPECT_STREQ(muster_status_name(-1), "unknown");
}

}  // namespace
