#include "launcher/os/left_bytes.hpp"

#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

namespace muster::os {
namespace {

constexpr const char* variable = "MUSTER_LEFT_BYTES_TEST";

std::optional<std::string> passed_on(const std::string& bytes, std::size_t max_bytes) {
  auto entry = leave_bytes(variable, bytes);
  const auto equals = entry.find('=');
  EXPECT_EQ(entry.substr(0, equals), variable);
  setenv(variable, entry.substr(equals + 1).c_str(), 1);
  return take_bytes(variable, max_bytes);
}

TEST(LeftBytes, AreTakenOnce) {
  const std::string bytes = std::string(200'000, 'x') + '\0' + "end";
  EXPECT_EQ(passed_on(bytes, 300'000), bytes);
  EXPECT_EQ(std::getenv(variable), nullptr);
  EXPECT_FALSE(take_bytes(variable, 300'000));
}

TEST(LeftBytes, AreKnownToBeTooMany) {
  const auto taken = passed_on(std::string(300'000, 'x'), 100'000);
  ASSERT_TRUE(taken);
  EXPECT_GT(taken->size(), 100'000U);
}

TEST(LeftBytes, OfNoFileAreNone) {
  for (const auto* value : {"", "-1", "x", "9999"}) {
    setenv(variable, value, 1);
    EXPECT_EQ(take_bytes(variable, 100), "") << value;
  }
}

}  // namespace
}  // namespace muster::os
