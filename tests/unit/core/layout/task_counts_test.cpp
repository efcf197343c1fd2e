#include "core/layout/task_counts.hpp"

#include "fixtures/expect_error.hpp"
#include "fixtures/random_text.hpp"

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::layout {
namespace {

using Counts = std::vector<std::uint32_t>;

std::string error_of_counts(std::string_view text) {
  return fixtures::error_of([&] { expand_task_counts(text); });
}

TEST(TasksPerNode, ExpandsWhatSlurmWrites) {
  EXPECT_EQ(expand_task_counts("4"), Counts{4});
  EXPECT_EQ(expand_task_counts("2(x3),1"), (Counts{2, 2, 2, 1}));
  EXPECT_EQ(expand_task_counts("1,2,1"), (Counts{1, 2, 1}));
  EXPECT_EQ(expand_task_counts("8(x16384)"), Counts(16384, 8));
}

TEST(TasksPerNode, NamesTheTextThatItCannotRead) {
  EXPECT_EQ(error_of_counts("2(x3"),
            "cannot read the task counts '2(x3'; they should look like 2(x3),1");
}

TEST(TasksPerNode, RefusesEverythingElse) {
  for (const auto* const text :
       {"",       ",",        "1,",    ",1",     "1,,2",       "a",
        "-1",     "1(x)",     "1(x0)", "1(x-1)", "1(3)",       "1x3",
        "1(x3)2", "1 ",       " 1",    "1(x3))", "4294967296", "1(x4294967296)",
        "1.5",    "1(x2)(x2)"}) {
    EXPECT_TRUE(fixtures::is_one_line(error_of_counts(text))) << text;
  }
  EXPECT_TRUE(fixtures::is_one_line(error_of_counts("1\n\x1b[2J")));
}

TEST(TasksPerNode, RefusesMoreThanAnyClusterHas) {
  for (const auto* const text : {"1(x262145)", "1(x262144),1", "1(x4294967295)", "4294967295",
                                 "4194305", "4194304,1", "1000(x10000)"}) {
    EXPECT_TRUE(fixtures::is_one_line(error_of_counts(text))) << text;
  }
  EXPECT_EQ(expand_task_counts("16(x262144)").size(), 262144U);
}

TEST(TasksPerNode, IsCountsOrAnErrorWhateverTheText) {
  fixtures::RandomText random(1);
  const std::vector<std::string> pieces{"1", "20", "(x", ")", ",", "(", "x", "-", "999999", "\n"};
  for (int i = 0; i < 20'000; ++i) {
    const auto text = i % 4 == 0 ? random.bytes(20) : random.pieces(pieces, 8);
    try {
      const auto counts = expand_task_counts(text);
      ASSERT_FALSE(counts.empty());
      ASSERT_LE(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}), 1U << 22U);
    } catch (const Error& error) {
      ASSERT_TRUE(fixtures::is_one_line(error.what())) << error.what();
    }
  }
}

}  // namespace
}  // namespace muster::layout
