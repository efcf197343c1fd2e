#include "core/restart/line_number.hpp"

#include <cstdint>
#include <limits>
#include <string>

#include <gtest/gtest.h>

namespace muster::restart {
namespace {

TEST(LineNumber, CountsTheLinesOfARun) {
  std::string counter;
  for (std::uint32_t expected = 0; expected < 12; ++expected) {
    const auto line = number_line(counter, 3);
    EXPECT_EQ(line.number, expected);
    counter = line.counter;
  }
}

TEST(LineNumber, BeginsAnewInAnotherRun) {
  const auto second = number_line(number_line("", 0).counter, 0);
  EXPECT_EQ(second.number, 1U);
  EXPECT_EQ(number_line(second.counter, 1).number, 0U);
  EXPECT_EQ(number_line(number_line(second.counter, 1).counter, 1).number, 1U);
  // A job's number may be reused.
  EXPECT_EQ(number_line(number_line("", 7).counter, 0).number, 0U);
}

TEST(LineNumber, IsWrittenOverTheOneBeforeInPlace) {
  const auto size = number_line("", 0).counter.size();
  EXPECT_LE(size, max_counter_bytes);
  std::string counter;
  for (int i = 0; i < 200; ++i) {
    counter = number_line(counter, std::numeric_limits<std::uint32_t>::max()).counter;
    EXPECT_EQ(counter.size(), size);
  }
}

TEST(LineNumber, OfWhatIsNoCounterBeginsAnew) {
  const std::string counter = number_line(number_line("", 0).counter, 0).counter;
  ASSERT_EQ(number_line(counter, 0).number, 2U);
  for (std::size_t size = 0; size < counter.size(); ++size) {
    EXPECT_EQ(number_line(counter.substr(0, size), 0).number, 0U) << size;
  }
  for (const auto* const text :
       {"0000000000 0000000002\n\n", "0000000000 0000000002 ", "0000000000-0000000002\n",
        "0000000000 -000000002\n", "0000000000 9999999999\n", "000000000x 0000000002\n",
        "0000000000 0002000000\n"}) {
    const auto line = number_line(text, 0);
    EXPECT_EQ(line.number, 0U) << text;
    EXPECT_EQ(number_line(line.counter, 0).number, 1U) << text;
  }
}

}  // namespace
}  // namespace muster::restart
