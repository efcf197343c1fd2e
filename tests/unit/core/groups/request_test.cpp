#include "core/groups/request.hpp"

#include "core/error.hpp"
#include "core/option/keys.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::groups {
namespace {

using testing::HasSubstr;

request::Request asked(Origin origin) {
  request::Request request;
  request.groups = option::GroupRange{2, 2};
  request.succession = true;
  request.sources[option::Key("succession")] = {origin, "--distributed"};
  return request;
}

TEST(GroupsRequest, RefusesWhatTheUserAsksForAndOnlyAWholeRunCanDo) {
  try {
    static_cast<void>(request_of_group(asked(Origin::option)));
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("--distributed: succession= does not work with groups="));
  }
}

TEST(GroupsRequest, LeavesTheSitesDefaultOut) {
  EXPECT_FALSE(request_of_group(asked(Origin::site)).succession);
}

}  // namespace
}  // namespace muster::groups
