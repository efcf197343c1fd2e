#include "launcher/agent/ranks/recorder_door.hpp"

#include "core/error.hpp"
#include "launcher/agent/ranks/memory_file.hpp"
#include "unit/launcher/agent/ranks/script.hpp"

#include <gtest/gtest.h>

namespace muster::ranks {
namespace {

using ranks::comes_true;
using ranks::Script;

// Does what muster's Python package does, with an answer that the test chooses.
std::string package(const std::string& answer) {
  return R"(exec /usr/bin/python3 -c '
import os
reading, writing = os.pipe()
file = os.memfd_create(f"muster-recorder-{reading}")
print("ready", flush=True)
while True:
    word = os.read(reading, 100)
    os.ftruncate(file, 0)
    os.pwrite(file, word.strip() + b"\n)" +
         answer + R"(\n", 0)
')";
}

TEST(RecorderDoor, BringsTheAnswerToItsOwnQuestion) {
  Script script(package(R"({\"rank\": 5, \"groups\": []})"));
  ASSERT_EQ(script.line(), "ready");
  auto door = RecorderDoor::find(script.pid());
  ASSERT_TRUE(door);
  EXPECT_FALSE(door->answer()) << "nobody has asked";
  for (int question = 0; question < 2; ++question) {
    door->ask();
    std::optional<dump::Recorder> recorder;
    EXPECT_TRUE(comes_true([&] { return (recorder = door->answer()).has_value(); }));
    EXPECT_EQ(recorder.value_or(dump::Recorder{}).rank, 5U);
  }
}

// Answers with the collectives, and with the stacks only at the second question for them, as if another
// process's query had come in between.
TEST(RecorderDoor, BringsTheStacksWhichASecondQuestionMayTake) {
  Script script(R"(exec /usr/bin/python3 -c '
import os
reading, writing = os.pipe()
file = os.memfd_create(f"muster-recorder-{reading}")
print("ready", flush=True)
asked = 0
while True:
    word = b" ".join(os.read(reading, 100).split())
    asked += word.endswith(b"s")
    stacks = b"{\"threads\": [{\"name\": \"MainThread\", \"frames\": \"\"}]}\n" if asked > 1 else b""
    os.ftruncate(file, 0)
    os.pwrite(file, word + b"\n{\"rank\": 5, \"groups\": []}\n" + stacks, 0)
')");
  ASSERT_EQ(script.line(), "ready");
  auto door = RecorderDoor::find(script.pid());
  ASSERT_TRUE(door);
  EXPECT_FALSE(door->stacks()) << "nobody has asked";
  door->ask();
  EXPECT_TRUE(comes_true([&] { return door->answer().has_value(); }));
  door->ask_stacks();
  std::optional<std::vector<dump::Thread>> threads;
  EXPECT_TRUE(comes_true([&] {
    threads = door->stacks();
    if (!threads) door->ask_stacks(true);
    return threads.has_value();
  }));
  ASSERT_EQ(threads.value_or(std::vector<dump::Thread>{}).size(), 1U);
  EXPECT_TRUE(threads->front().main);
}

TEST(RecorderDoor, ReadsNoMoreThanItsBoundsOfAnAnswerOfAGigabyte) {
  Script script(R"(exec /usr/bin/python3 -c '
import os
reading, writing = os.pipe()
file = os.memfd_create(f"muster-recorder-{reading}")
print("ready", flush=True)
while True:
    word = b" ".join(os.read(reading, 100).split())
    os.pwrite(file, word + b"\n{\"x\": ", 0)
    os.ftruncate(file, 1 << 30)
    print("written", flush=True)
')");
  ASSERT_EQ(script.line(), "ready");
  auto door = RecorderDoor::find(script.pid());
  ASSERT_TRUE(door);
  door->ask();
  ASSERT_EQ(script.line(), "written");
  EXPECT_FALSE(door->answer());
  door->ask_stacks();
  ASSERT_EQ(script.line(), "written");
  EXPECT_FALSE(door->stacks());
}

// A rank that answers each question for its times with this program; `word` is the question.
std::string answers_times(const std::string& program) {
  return R"(exec /usr/bin/python3 -c '
import os, time
reading, writing = os.pipe()
file = os.memfd_create(f"muster-recorder-{reading}")
answer = b"{\"rank\": 5, \"cost\": 0.0005, \"operations\": [\"all_reduce\"], \"base\": 1000,"
answer += b"\"groups\": [{\"group\": \"0\", \"text\": \"default_pg\", \"size\": 2, \"ranks\": \"0,5\","
answer += b"\"pairs\": false}],"
answer += b"\"times\": [[0, 4, 0, 0], [0, 5, 0, 70]]}"
print("ready", flush=True)
before = b"none"
while True:
    word = b" ".join(os.read(reading, 200).split())
)" + program +
         R"(
    before = word
    print("written", flush=True)
')";
}

TEST(RecorderDoor, BringsTheTimesThatItHasAskedFor) {
  Script script(answers_times(R"(
    assert word.endswith(b"-7bt"), word
    os.ftruncate(file, 0)
    os.pwrite(file, word + b"\n" + answer + b"\n", 0))"));
  ASSERT_EQ(script.line(), "ready");
  auto door = RecorderDoor::find(script.pid());
  ASSERT_TRUE(door);
  EXPECT_FALSE(door->times()) << "nobody has asked";
  for (int question = 0; question < 2; ++question) {
    door->ask_times(std::chrono::nanoseconds(0x7b));
    ASSERT_EQ(script.line(), "written");
    const auto answer = door->times().value_or(slow::Answer{});
    EXPECT_EQ(answer.rank, 5U);
    ASSERT_EQ(answer.arrivals.size(), 2U);
    EXPECT_EQ(answer.arrivals[1].wall, std::chrono::nanoseconds(1070));
  }
}

TEST(RecorderDoor, HasNoTimesOfARankThatDoesNotAnswerHoweverOftenItIsAsked) {
  Script script(R"(exec /usr/bin/python3 -c '
import os, time
reading, writing = os.pipe()
file = os.memfd_create(f"muster-recorder-{reading}")
print("ready", flush=True)
time.sleep(1000)
')");
  ASSERT_EQ(script.line(), "ready");
  auto door = RecorderDoor::find(script.pid());
  ASSERT_TRUE(door);
  constexpr int more_than_fit = 4096;  // a pipe has 64 KiB
  for (int question = 0; question < more_than_fit; ++question)
    door->ask_times(std::chrono::nanoseconds(question));
  EXPECT_FALSE(door->times());
}

TEST(RecorderDoor, HasNoTimesInTheAnswerToAnEarlierQuestionOrToSomebodyElses) {
  Script script(answers_times(R"(
    os.ftruncate(file, 0)
    os.pwrite(file, before + b" 1-2-3-0t\n" + answer + b"\n", 0))"));
  ASSERT_EQ(script.line(), "ready");
  auto door = RecorderDoor::find(script.pid());
  ASSERT_TRUE(door);
  for (int question = 0; question < 2; ++question) {
    door->ask_times(std::chrono::nanoseconds(0));
    ASSERT_EQ(script.line(), "written");
    EXPECT_FALSE(door->times());
  }
}

TEST(RecorderDoor, HasNoTimesInAnAnswerThatIsNotComplete) {
  Script script(answers_times(R"(
    os.ftruncate(file, 0)
    os.pwrite(file, word + b"\n" + answer, 0))"));
  ASSERT_EQ(script.line(), "ready");
  auto door = RecorderDoor::find(script.pid());
  ASSERT_TRUE(door);
  door->ask_times(std::chrono::nanoseconds(0));
  ASSERT_EQ(script.line(), "written");
  EXPECT_FALSE(door->times());
}

TEST(RecorderDoor, HasNoTimesInAGigabyte) {
  Script script(answers_times(R"(
    os.pwrite(file, word + b"\n" + answer[:-1], 0)
    os.pwrite(file, b" }\n", 1 << 30))"));
  ASSERT_EQ(script.line(), "ready");
  auto door = RecorderDoor::find(script.pid());
  ASSERT_TRUE(door);
  door->ask_times(std::chrono::nanoseconds(0));
  ASSERT_EQ(script.line(), "written");
  EXPECT_FALSE(door->times());  // whoever read all of it would find a line that is no answer
}

TEST(RecorderDoor, RefusesTimesThatAreNone) {
  for (const std::string answer : {R"(b"\xff nonsense")", R"(b"[]")", R"(b"[" * 40000)", R"(b"{}")",
                                   R"(b"{\"error\": \"KeyError\"}")", R"(b"{\"rank\": null}")"}) {
    Script script(answers_times(R"(
    os.ftruncate(file, 0)
    os.pwrite(file, word + b"\n" + )" +
                                answer + R"( + b"\n", 0))"));
    ASSERT_EQ(script.line(), "ready");
    auto door = RecorderDoor::find(script.pid());
    ASSERT_TRUE(door);
    door->ask_times(std::chrono::nanoseconds(0));
    ASSERT_EQ(script.line(), "written");
    EXPECT_THROW(static_cast<void>(door->times()), Error) << answer;
  }
}

TEST(RecorderDoor, IsNotThereInAChildThatSomethingElseThanPythonHasForked) {
  Script script(R"(exec /usr/bin/python3 -c '
import ctypes, os, time
reading, writing = os.pipe()
file = os.memfd_create(f"muster-recorder-{reading}")
child = ctypes.CDLL(None).fork()
if child: print(child, flush=True)
time.sleep(1000)
')");
  const auto child = std::stoi(script.line());
  EXPECT_TRUE(RecorderDoor::find(script.pid()));
  EXPECT_FALSE(RecorderDoor::find(child));
  kill(child, SIGKILL);
}

TEST(RecorderDoor, RefusesAnAnswerThatIsNone) {
  Script script(package("nonsense"));
  ASSERT_EQ(script.line(), "ready");
  auto door = RecorderDoor::find(script.pid());
  ASSERT_TRUE(door);
  door->ask();
  EXPECT_TRUE(comes_true([&] {
    try {
      return door->answer().has_value();
    } catch (const Error&) {
      return true;
    }
  }));
}

TEST(RecorderDoor, IsNotThereInAProcessWithoutThePackageOrWithAFileInThePipesPlace) {
  EXPECT_FALSE(RecorderDoor::find(getpid()));
  Script script(R"(exec /usr/bin/python3 -c '
import os, time
file = os.open("/dev/null", os.O_RDWR)
os.memfd_create(f"muster-recorder-{file}")
print("ready", flush=True)
time.sleep(1000)
')");
  ASSERT_EQ(script.line(), "ready");
  EXPECT_FALSE(RecorderDoor::find(script.pid()));
}

TEST(RecorderDoor, AsksAProcessThatHasEndedInVain) {
  Script script(package("{}"));
  ASSERT_EQ(script.line(), "ready");
  auto door = RecorderDoor::find(script.pid());
  ASSERT_TRUE(door);
  kill(script.pid(), SIGKILL);
  ASSERT_EQ(ranks::in_words(script.status()), "signal 9");
  door->ask();
  EXPECT_FALSE(door->answer());
}

TEST(MemoryFile, HasItsNumberInItsName) {
  EXPECT_EQ(memory_file_number("/memfd:muster-recorder-12 (deleted)", "muster-recorder-"), 12);
  for (const char* link : {"/memfd:muster-recorder-12", "/memfd:muster-recorder- (deleted)",
                           "/memfd:muster-recorder-x (deleted)", "/memfd:other-1 (deleted)",
                           "/memfd:muster-recorder- (deleted", "pipe:[12]", ""}) {
    EXPECT_EQ(memory_file_number(link, "muster-recorder-"), std::nullopt) << link;
  }
}

}  // namespace
}  // namespace muster::ranks
