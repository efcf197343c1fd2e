#include "launcher/ranks/process.hpp"

#include "unit/launcher/ranks/script.hpp"

#include <poll.h>

namespace muster::ranks {
namespace {

TEST(ProcessStat, IsReadBehindANameOfTheProcesssOwnChoice) {
  const auto stat = parse_stat(
      "4711 (a) R 1 (b\n) S 12 34 56 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 987654 9 10 11\n");
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->pid, 4711);
  EXPECT_EQ(stat->state, 'S');
  EXPECT_EQ(stat->parent, 12);
  EXPECT_EQ(stat->group, 34);
  EXPECT_EQ(stat->session, 56);
  EXPECT_EQ(stat->start_time, 987654U);
}

TEST(ProcessStat, IsNothingForAnyOtherText) {
  for (const char* const text :
       {"", "1", "1 (sh", "1 (sh)", "1 (sh) S", "1 (sh) S x 2 3", ") (", "x (sh) S 1 2 3",
        "1 (sh) S 12 34 56 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0"})
    EXPECT_FALSE(parse_stat(text)) << text;
}

TEST(Process, IsNothingWhereThereIsNone) {
  Script script("exit 0");
  script.status();
  EXPECT_FALSE(Process::open(script.pid()));
}

TEST(Process, RunsUntilItEndsAndIsReadableFromThenOn) {
  Script script("read line; exit 3");
  const auto process = Process::open(script.pid());
  ASSERT_TRUE(process);
  EXPECT_TRUE(process->runs());
  ASSERT_TRUE(process->signal(SIGKILL));
  pollfd end{process->descriptor(), POLLIN, 0};
  ASSERT_EQ(poll(&end, 1, 20000), 1);
  EXPECT_FALSE(process->runs());  // a zombie: nobody has asked for its status yet
  EXPECT_EQ(in_words(script.status()), "signal 9");
}

TEST(Process, IsNoLongerSignalledOnceItsIdIsFree) {
  Script script("exit 0");
  const auto process = Process::open(script.pid());
  ASSERT_TRUE(process);
  script.status();
  EXPECT_FALSE(process->signal(SIGKILL));
}

TEST(Process, IsNotTakenForAnEarlierOneWithItsId) {
  Script script("sleep 60");
  auto seen = stat_of("/proc", script.pid());
  ASSERT_TRUE(seen);
  EXPECT_TRUE(Process::open(*seen));
  seen->start_time -= 1;
  EXPECT_FALSE(Process::open(*seen));
}

}  // namespace
}  // namespace muster::ranks
