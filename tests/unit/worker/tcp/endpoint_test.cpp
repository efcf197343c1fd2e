#include "worker/tcp/endpoint.hpp"

#include "worker/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::worker::tcp {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string key(64, 'a');

// For tests in which the secret must not be read.
secret::Key no_secret(const std::string& path) {
  ADD_FAILURE() << "read " << path;
  return {};
}

secret::Key a_secret(const std::string& /*path*/) {
  return {1, 2, 3};
}

std::string error_of(const Environment::Map& variables) {
  try {
    endpoint_of(Environment{variables}, no_secret);
    return "none";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), MUSTER_ERR_ENVIRONMENT);
    return error.what();
  }
}

TEST(TcpEndpoint, IsWhereTheLauncherSays) {
  const auto endpoint = endpoint_of(Environment{{{"MUSTER_EXCHANGE", "10.0.0.1:61001"},
                                                 {"MUSTER_EXCHANGE_KEY", key},
                                                 {"MASTER_ADDR", "10.9.9.9"},
                                                 {"MASTER_PORT", "29500"},
                                                 {"SLURM_JOB_ID", "42"}}},
                                    no_secret);
  EXPECT_EQ(endpoint.text(), "10.0.0.1:61001");
  EXPECT_EQ(endpoint.key.bytes[31], 0xaa);
  EXPECT_EQ(endpoint.job, "") << "the key identifies the step";
}

TEST(TcpEndpoint, IsElseThePortAfterTheMasters) {
  const auto endpoint =
      endpoint_of(Environment{{{"MASTER_ADDR", "fd00::1"}, {"MASTER_PORT", "29500"}}}, a_secret);
  EXPECT_EQ(endpoint.text(), "[fd00::1]:29501");
  EXPECT_EQ(endpoint.job, "no job");
}

TEST(TcpEndpoint, HasAKeyFromTheUsersSecretWhereNobodyGivesOne) {
  std::string read;
  const auto endpoint = endpoint_of(Environment{{{"MASTER_ADDR", "node1"},
                                                 {"MASTER_PORT", "29500"},
                                                 {"MUSTER_SECRET_FILE", "/home/me/file"}}},
                                    [&](const std::string& path) {
                                      read = path;
                                      return a_secret(path);
                                    });
  EXPECT_EQ(read, "/home/me/file");
  EXPECT_EQ(endpoint.key.bytes, derived_key(a_secret(""), "node1:29500"));
  EXPECT_THAT(endpoint.key.remedy, HasSubstr("/home/me/file and node1:29500: copy this file"));
}

TEST(TcpEndpoint, SaysHowToDoWithoutASecretThatCannotBeRead) {
  try {
    user_secret("/proc/secret");
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), MUSTER_ERR_ENVIRONMENT);
    EXPECT_THAT(error.what(),
                testing::StartsWith("no key for the exchange between the ranks: /proc/secret: "));
    EXPECT_THAT(error.what(),
                HasSubstr("MUSTER_SECRET_FILE, or set MUSTER_EXCHANGE_KEY to the same"));
  }
}

TEST(TcpEndpoint, HasAnotherKeyForAnotherPlace) {
  Environment::Map variables{{"MASTER_ADDR", "node1"}, {"MASTER_PORT", "29500"}};
  const auto key_of = [&] { return endpoint_of(Environment{variables}, a_secret).key.bytes; };
  const auto first = key_of();
  EXPECT_EQ(key_of(), first);
  variables["MASTER_PORT"] = "29502";
  EXPECT_NE(key_of(), first);
  variables["MUSTER_EXCHANGE"] = "node1:29500";
  EXPECT_EQ(key_of(), first);
}

TEST(TcpEndpoint, HasNoKeyOnlyWhereAnEmptyOneAsksForThat) {
  const auto endpoint = endpoint_of(
      Environment{{{"MUSTER_EXCHANGE", "a:1"}, {"MUSTER_EXCHANGE_KEY", ""}}}, no_secret);
  EXPECT_EQ(endpoint.key.bytes, Key{});
  EXPECT_EQ(endpoint.job, "no job");
}

TEST(TcpEndpoint, TellsJobsApartWhereTheKeyDoesNot) {
  Environment::Map variables{
      {"MUSTER_EXCHANGE", "[fd00::1]:1"}, {"SLURM_JOB_ID", "42"}, {"SLURM_STEP_ID", "3"}};
  const auto job = [&] { return endpoint_of(Environment{variables}, a_secret).job; };
  EXPECT_EQ(job(), "step 42.3");
  variables["SLURM_HET_JOB_ID"] = "41";
  EXPECT_EQ(job(), "step 41.3") << "the same in every component";
  variables["TORCHELASTIC_RUN_ID"] = "mine";
  variables["TORCHELASTIC_RESTART_COUNT"] = "2";
  EXPECT_EQ(job(), "run mine/2");
}

TEST(TcpEndpoint, SaysWhatIsWrongAndNeverTheKey) {
  EXPECT_THAT(error_of({}), HasSubstr("neither MUSTER_EXCHANGE nor MASTER_ADDR"));
  EXPECT_THAT(error_of({{"MASTER_ADDR", "a"}}), HasSubstr("no rank 0 to connect to"));
  EXPECT_THAT(error_of({{"MASTER_ADDR", "a"}, {"MASTER_PORT", "65535"}}), HasSubstr("MASTER_PORT"));
  for (const std::string place : {"10.0.0.1", "10.0.0.1:", "10.0.0.1:0", "10.0.0.1:65536", ":1",
                                  "fd00::1:5", "[fd00::1]", "a:1x"}) {
    EXPECT_THAT(error_of({{"MUSTER_EXCHANGE", place}}), HasSubstr("is not an address and a port"))
        << place;
  }
  for (const auto& wrong : {key.substr(2), key + "aa", "z" + key.substr(1), key.substr(1)}) {
    const auto error = error_of({{"MUSTER_EXCHANGE", "a:1"}, {"MUSTER_EXCHANGE_KEY", wrong}});
    EXPECT_THAT(error, HasSubstr("MUSTER_EXCHANGE_KEY does not consist of 64"));
    EXPECT_THAT(error, Not(HasSubstr("aaa")));
  }
}

}  // namespace
}  // namespace muster::worker::tcp
