#include "spank/task_once.hpp"

#include "in_child.hpp"

#include <array>
#include <chrono>
#include <string>
#include <thread>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace muster::spank {
namespace {

std::string what_a_task_does(TaskOnce& once) {
  return in_child([&] {
           std::string did = "nothing";
           const bool shared = once.run([&] { did = "all"; });
           return shared ? did : "not shared";
         })
      .output;
}

TEST(TaskOnce, IsDoneByTheFirstTaskOnly) {
  TaskOnce once;
  once.share();
  EXPECT_EQ(what_a_task_does(once), "all");
  EXPECT_EQ(what_a_task_does(once), "nothing");
}

TEST(TaskOnce, SaysWhereNothingIsShared) {
  TaskOnce once;
  EXPECT_EQ(what_a_task_does(once), "not shared");
}

TEST(TaskOnce, ALaterTaskWaitsUntilTheFirstIsDone) {
  TaskOnce once;
  once.share();
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  const pid_t first = fork();
  if (first == 0) {
    once.run([&] {
      const bool begun = write(ends[1], "<", 1) == 1;
      std::this_thread::sleep_for(std::chrono::milliseconds{100});
      if (!begun || write(ends[1], ">", 1) != 1) _exit(1);
    });
    _exit(0);
  }
  close(ends[1]);
  char seen = 0;
  ASSERT_EQ(read(ends[0], &seen, 1), 1);
  EXPECT_EQ(what_a_task_does(once), "nothing");
  // The first one has already written its second character, without waiting for the other.
  int status = -1;
  std::array<char, 2> rest{};
  const int flags = fcntl(ends[0], F_SETFL, O_NONBLOCK);
  EXPECT_EQ(flags, 0);
  EXPECT_EQ(read(ends[0], rest.data(), rest.size()), 1);
  close(ends[0]);
  EXPECT_EQ(waitpid(first, &status, 0), first);
  EXPECT_EQ(status, 0);
}

TEST(TaskOnce, ATaskThatIsKilledMeanwhileHoldsNobodyUpForEver) {
  TaskOnce once;
  once.share();
  in_child([&] {
    once.run([] { _exit(1); });
    return std::string();
  });
  EXPECT_EQ(what_a_task_does(once), "nothing");
}

}  // namespace
}  // namespace muster::spank
