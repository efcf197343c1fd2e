#include "launcher/agent/ranks/process.hpp"

#include "fixtures/emulation.hpp"
#include "unit/launcher/agent/ranks/script.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <thread>

#include <poll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

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
  EXPECT_EQ(stat->flags, 4194560U);
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
  EXPECT_FALSE(process->runs());  // a zombie: its status has not been collected yet
  EXPECT_EQ(in_words(script.status()), "signal 9");
}

// The kernel needs some 100 ms to free this much memory.
TEST(Process, EndsBeforeItRunsNoMore) {
  MUSTER_NOT_IN_QEMU("is too slow to see a process while it ends");
  constexpr std::size_t size = std::size_t{1} << 30;
  std::array<int, 2> ready{};
  ASSERT_EQ(pipe(ready.data()), 0);
  const pid_t child = fork();
  if (child == 0) {
    void* const memory = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    _exit(memory != MAP_FAILED && write(ready[1], "!", 1) == 1 ? pause() : 1);
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  const auto process = Process::open(child);
  ASSERT_TRUE(process);
  EXPECT_FALSE(process->ends());
  ASSERT_TRUE(process->signal(SIGKILL));
  bool seen = false;
  while (process->runs()) seen = seen || process->ends();
  EXPECT_TRUE(seen);
  waitpid(child, nullptr, 0);
  for (const int end : ready) close(end);
}

TEST(Process, DoesNotEndWithItsFirstThread) {
  std::array<int, 2> ready{};
  ASSERT_EQ(pipe(ready.data()), 0);
  const pid_t child = fork();
  if (child == 0) {
    std::thread([] { pause(); }).detach();
    syscall(SYS_exit, 0);  // ends only this thread
  }
  const auto process = Process::open(child);
  ASSERT_TRUE(process);
  while (stat_of("/proc", child)->state != 'Z')
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  EXPECT_TRUE(process->runs());
  EXPECT_FALSE(process->ends());
  ASSERT_TRUE(process->signal(SIGKILL));
  waitpid(child, nullptr, 0);
  for (const int end : ready) close(end);
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
