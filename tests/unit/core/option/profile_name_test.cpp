#include "core/option/profile_name.hpp"

#include <string>

#include <gtest/gtest.h>

namespace muster::option {
namespace {

TEST(ProfileName, IsAWordThatIsAFileNameToo) {
  for (const auto* name : {"torch", "my-own_1", "7"}) EXPECT_TRUE(is_profile_name(name)) << name;
  for (const auto* name : {"", "../torch", "Torch", "a.yaml", "a b"}) {
    EXPECT_FALSE(is_profile_name(name)) << name;
  }
  EXPECT_TRUE(is_profile_name(std::string(64, 'a')));
  EXPECT_FALSE(is_profile_name(std::string(65, 'a')));
}

}  // namespace
}  // namespace muster::option
