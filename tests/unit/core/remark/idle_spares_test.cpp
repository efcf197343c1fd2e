#include "core/remark/idle_spares.hpp"

#include "core/request/request.hpp"

#include <gtest/gtest.h>

namespace muster::remark {
namespace {

TEST(IdleSpares, AreThoseThatNoRestartAndNoPreflightUses) {
  request::Request request;
  EXPECT_EQ(idle_spares(request), "");
  request.spares = 2;
  EXPECT_NE(idle_spares(request).find("spares=2 reserves nodes that will never be used"),
            std::string::npos);
  request.restarts = 1;
  EXPECT_EQ(idle_spares(request), "");
  request.restarts = 0;
  request.preflight.emplace();
  EXPECT_EQ(idle_spares(request), "");
}

}  // namespace
}  // namespace muster::remark
