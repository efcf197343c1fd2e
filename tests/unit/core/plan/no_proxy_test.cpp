#include "core/plan/no_proxy.hpp"

#include <gtest/gtest.h>

namespace muster::plan {
namespace {

TEST(NoProxy, IsNotNeededWhereNoProxyIsExported) {
  EXPECT_EQ(no_proxy({}, "10.0.0.1"), "");
  EXPECT_EQ(no_proxy({{"http_proxy", ""}, {"no_proxy", "localhost"}}, "10.0.0.1"), "");
  EXPECT_EQ(no_proxy({{"HTTP_PROXY", "http://proxy:3128"}}, "10.0.0.1"), "");
}

TEST(NoProxy, NamesTheAddressForEveryProxyThatGrpcReads) {
  for (const char* name : {"grpc_proxy", "https_proxy", "http_proxy"}) {
    EXPECT_EQ(no_proxy({{name, "http://proxy:3128"}}, "10.0.0.1"), "10.0.0.1") << name;
  }
}

TEST(NoProxy, KeepsTheUsersExceptions) {
  EXPECT_EQ(
      no_proxy({{"http_proxy", "http://proxy:3128"}, {"no_proxy", "localhost,.site"}}, "10.0.0.1"),
      "localhost,.site,10.0.0.1");
}

}  // namespace
}  // namespace muster::plan
