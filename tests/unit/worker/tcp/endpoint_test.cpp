#include "worker/tcp/endpoint.hpp"

#include "worker/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::worker::tcp {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string key(64, 'a');

std::string error_of(const Environment::Map& variables) {
  try {
    meeting_of(Environment{variables});
    return "none";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), MUSTER_ERR_ENVIRONMENT);
    return error.what();
  }
}

TEST(TcpMeeting, IsWhereTheLauncherSays) {
  const auto meeting = meeting_of(Environment{{{"MUSTER_EXCHANGE", "10.0.0.1:61001"},
                                               {"MUSTER_EXCHANGE_KEY", key},
                                               {"MASTER_ADDR", "10.9.9.9"},
                                               {"MASTER_PORT", "29500"},
                                               {"SLURM_JOB_ID", "42"}}});
  EXPECT_EQ(meeting.place(), "10.0.0.1:61001");
  EXPECT_EQ(meeting.key[31], 0xaa);
  EXPECT_EQ(meeting.job, "") << "the key says enough";
}

TEST(TcpMeeting, IsElseThePortAfterTheMasters) {
  const auto meeting =
      meeting_of(Environment{{{"MASTER_ADDR", "fd00::1"}, {"MASTER_PORT", "29500"}}});
  EXPECT_EQ(meeting.place(), "[fd00::1]:29501");
  EXPECT_EQ(meeting.key, Key{});
  EXPECT_EQ(meeting.job, "no job");
}

TEST(TcpMeeting, TellsJobsApartWhereThereIsNoKey) {
  Environment::Map variables{
      {"MUSTER_EXCHANGE", "[fd00::1]:1"}, {"SLURM_JOB_ID", "42"}, {"SLURM_STEP_ID", "3"}};
  EXPECT_EQ(meeting_of(Environment{variables}).job, "step 42.3");
  variables["SLURM_HET_JOB_ID"] = "41";
  EXPECT_EQ(meeting_of(Environment{variables}).job, "step 41.3") << "the same in every component";
  variables["TORCHELASTIC_RUN_ID"] = "mine";
  variables["TORCHELASTIC_RESTART_COUNT"] = "2";
  EXPECT_EQ(meeting_of(Environment{variables}).job, "run mine/2");
}

TEST(TcpMeeting, SaysWhatIsWrongAndNeverTheKey) {
  EXPECT_THAT(error_of({}), HasSubstr("neither MUSTER_EXCHANGE nor MASTER_ADDR"));
  EXPECT_THAT(error_of({{"MASTER_ADDR", "a"}}), HasSubstr("no rank 0 to connect to"));
  EXPECT_THAT(error_of({{"MASTER_ADDR", "a"}, {"MASTER_PORT", "65535"}}), HasSubstr("MASTER_PORT"));
  for (const std::string place : {"10.0.0.1", "10.0.0.1:", "10.0.0.1:0", "10.0.0.1:65536", ":1",
                                  "fd00::1:5", "[fd00::1]", "a:1x"}) {
    EXPECT_THAT(error_of({{"MUSTER_EXCHANGE", place}}), HasSubstr("is no place")) << place;
  }
  for (const auto& wrong : {key.substr(2), key + "aa", "z" + key.substr(1), key.substr(1)}) {
    const auto error = error_of({{"MUSTER_EXCHANGE", "a:1"}, {"MUSTER_EXCHANGE_KEY", wrong}});
    EXPECT_THAT(error, HasSubstr("MUSTER_EXCHANGE_KEY is no key"));
    EXPECT_THAT(error, Not(HasSubstr("aaa")));
  }
}

}  // namespace
}  // namespace muster::worker::tcp
