#include "core/profile/store_server.hpp"

#include "core/error.hpp"
#include "core/option/keys.hpp"
#include "core/profile/profile.hpp"
#include "core/request/request.hpp"

#include <gtest/gtest.h>

namespace muster::profile {
namespace {

Profile profile_of(const std::string& text) {
  return resolve_profile("p",
                         [&text](const std::string&) { return parse_profile(text, "p.yaml"); });
}

const std::string variable = "environment: {USE: '{agent_store}'}";

request::Request asked(const std::string& value, Origin origin = Origin::option) {
  request::Request request;
  if (value.empty()) return request;
  request.store = value == "agent" ? option::Store::agent : option::Store::rank0;
  request.sources[option::Key("store")] = {origin, "--distributed"};
  return request;
}

StoreServer found(const std::string& text, const std::string& value,
                  const std::string& users = "") {
  Environment environment;
  if (!users.empty()) environment.set("TORCHELASTIC_USE_AGENT_STORE", users);
  return store_server(asked(value), profile_of(text), environment);
}

TEST(StoreServerTest, IsRank0UnlessTheUserOrTheProfileSaysOtherwise) {
  EXPECT_FALSE(found(variable, "").is_agent());
  EXPECT_TRUE(found("store: agent\n" + variable, "").is_agent());
  EXPECT_FALSE(found("store: agent\n" + variable, "rank0").is_agent());
  EXPECT_TRUE(found(variable, "agent").is_agent());
  EXPECT_EQ(found(variable, "agent").origin, Origin::option);
}

TEST(StoreServerTest, TheUsersVariableDecides) {
  EXPECT_TRUE(found(variable, "rank0", "True").is_agent());
  EXPECT_FALSE(found(variable, "agent", "False").is_agent());
  EXPECT_FALSE(found("store: agent\n" + variable, "", "0").is_agent());
  EXPECT_EQ(found(variable, "agent", "False").origin, Origin::user);
}

TEST(StoreServerTest, IsNotTheAgentForAProfileWhosePortIsNoStores) {
  const std::string other = "environment: {PORT: '{master_port}'}";
  EXPECT_FALSE(found(other, "", "True").is_agent());
  EXPECT_FALSE(found(other, "rank0").is_agent());
  EXPECT_THROW(found(other, "agent"), Error);
  // A site's default is for the profiles that can use it.
  EXPECT_FALSE(store_server(asked("agent", Origin::site), profile_of(other), {}).is_agent());
  EXPECT_TRUE(store_server(asked("agent", Origin::site), profile_of(variable), {}).is_agent());
}

}  // namespace
}  // namespace muster::profile
