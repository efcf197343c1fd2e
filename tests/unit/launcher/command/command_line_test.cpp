#include "launcher/command/command_line.hpp"

#include "fixtures/expect_error.hpp"
#include "fixtures/random_text.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace muster::command {
namespace {

using List = std::vector<std::string>;

constexpr std::size_t longest_word = 131072 - 1;  // MAX_ARG_STRLEN, including its zero byte

// --- in this process

struct Given {
  bool flag = false;
  std::string value = "before";
  std::optional<std::string> perhaps;
  std::size_t number = 0;
  std::size_t place = 9;
  List words;
};

Given parsed(List words) {
  Given given;
  Command command("do", "something");
  command.flag("--flag", given.flag, "meaning")
      .value("--value", given.value, "meaning")
      .value_or_nothing("--perhaps", given.perhaps, "meaning")
      .number("--number", given.number, "meaning")
      .choice(
          "--choice", {"one", "two"}, [&](std::size_t place) { given.place = place; }, "meaning")
      .hands_on("words", given.words, "");
  command.action([] { return 7; });
  CommandLine line("says what it is", "muster 1.2.3");
  line.add(command);
  words.insert(words.begin(), {"muster", "do"});
  EXPECT_EQ(line.run(words), 7);
  return given;
}

TEST(CommandLine, GivesEachOptionItsValue) {
  const auto given =
      parsed({"--flag", "--value", "a b", "--perhaps=c", "--number=12", "--choice=two", "--", "d"});
  EXPECT_TRUE(given.flag);
  EXPECT_EQ(given.value, "a b");
  EXPECT_EQ(given.perhaps, "c");
  EXPECT_EQ(given.number, 12U);
  EXPECT_EQ(given.place, 1U);
  EXPECT_EQ(given.words, List{"d"});
}

TEST(CommandLine, LeavesWhatIsNotGivenAsItWas) {
  const auto given = parsed({});
  EXPECT_FALSE(given.flag);
  EXPECT_EQ(given.value, "before");
  EXPECT_EQ(given.perhaps, std::nullopt);
  EXPECT_EQ(given.place, 9U);
  EXPECT_EQ(parsed({"--perhaps", "--flag"}).perhaps, "");
  EXPECT_EQ(parsed({"--perhaps=", "x"}).perhaps, "");
  EXPECT_EQ(parsed({"--flag=false"}).flag, false);
}

TEST(CommandLine, TakesAValueAsItIsTyped) {
  for (const std::string value :
       {"[1,2]", "[]", "[ ]", "[x",   "{}",     "{a}", "%%",   "\"x\"",       "'x'",   "",   " ",
        "a=b",   "=",  "\n",  "\xff", "--flag", "--",  "true", "node[1-4]:8", "$HOME", "\\", "#"}) {
    EXPECT_EQ(parsed({"--value=" + value}).value, value);
    EXPECT_EQ(parsed({"--value", value, "--flag"}).value, value);
    EXPECT_EQ(parsed({"--perhaps=" + value}).perhaps, value);
  }
  const std::string longest(longest_word, '[');
  EXPECT_EQ(parsed({"--value", longest}).value, longest);
}

TEST(CommandLine, TakesAnyBytesAsAValue) {
  fixtures::RandomText random(5);
  for (int round = 0; round < 500; ++round) {
    auto value = random.bytes(12);
    std::ranges::replace(value, '\0', 'x');
    EXPECT_EQ(parsed({"--value=" + value}).value, value);
    EXPECT_EQ(parsed({"--perhaps=" + value}).perhaps, value);
  }
}

TEST(CommandLine, RefusesWhatItDoesNotKnow) {
  fixtures::expect_error([] { parsed({"--valeu=1"}); },
                         "muster do has no option '--valeu'; did you mean '--value'?");
  fixtures::expect_error([] { parsed({"--number=1x"}); }, "--number '1x': expected a number");
  fixtures::expect_error([] { parsed({"--choice=tow"}); },
                         "--choice 'tow': unknown value; did you mean 'two'?");
  fixtures::expect_error([] { parsed({"--value"}); }, "--value: 1 required TEXT missing");
  fixtures::expect_error([] { parsed({"--value=1", "--value=2"}); }, "--value: ");
}

TEST(CommandLine, HasAHelpCommand) {
  std::string topic;
  Command command("do", "something");
  command.value("--topic", topic, "meaning");
  command.action([] { return 7; });
  CommandLine line("says what it is", "muster 1.2.3");
  line.add(command);
  EXPECT_EQ(line.run({"muster", "help"}), 0);
  EXPECT_EQ(line.run({"muster", "help", "do"}), 0);
  fixtures::expect_error(
      [&] {
        static_cast<void>(line.run({"muster", "help", "dou"}));
      },
      "unknown command 'dou'; did you mean 'do'?");
  EXPECT_EQ(line.run({"muster", "do", "--topic", "help"}), 7);
}

// --- through the program itself

struct Outcome {
  int code = -1;
  List words;  // on standard output, each followed by a zero byte
};

List zero_terminated(std::string_view text) {
  List words;
  for (auto end = text.find('\0'); end != std::string_view::npos; end = text.find('\0')) {
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  return words;
}

Outcome run_program(List command) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return {};
  std::vector<char*> words;
  for (auto& word : command) words.push_back(word.data());
  words.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    execv(words.front(), words.data());
    _exit(126);
  }
  close(ends[1]);
  std::string text;
  std::array<char, 65536> block{};
  for (ssize_t size = 0; (size = read(ends[0], block.data(), block.size())) > 0;) {
    text.append(block.data(), static_cast<std::size_t>(size));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, zero_terminated(text)};
}

// Every path to a program that does not need Slurm.
std::vector<List> ways() {
  const List supervise{MUSTER_PROGRAM, "supervise", "--config=", "--trust-any-owner"};
  const List exec{MUSTER_PROGRAM, "exec", "--config", "", "--trust-any-owner"};
  std::vector<List> all;
  for (const auto* const value :
       {"--distributed=off", "--distributed=torch", "--distributed=torch,supervise=off"}) {
    for (const bool dashes : {false, true}) {
      all.push_back(supervise);
      all.back().emplace_back(value);
      if (dashes) all.back().emplace_back("--");
    }
  }
  all.push_back(exec);
  all.back().insert(all.back().end(), {"--distributed=off", "--"});
  all.push_back(exec);
  all.back().emplace_back("--distributed=off");
  for (auto& way : all) way.insert(way.end(), {SRUN_DOUBLE, "words"});
  return all;
}

void expect_words_arrive(const List& way, const List& words) {
  auto command = way;
  std::ranges::copy(words, std::back_inserter(command));
  const auto outcome = run_program(command);
  EXPECT_EQ(outcome.code, 0) << way[1] << ' ' << way[4];
  EXPECT_TRUE(outcome.words == words)
      << way[1] << ' ' << way[4] << ": " << outcome.words.size() << " words of " << words.size();
}

class MusterProgram : public testing::Test {
 protected:
  // Makes muster exec believe that it is a task.
  void SetUp() override {
    for (const auto* const name : {"SLURM_JOB_ID", "SLURM_STEP_ID", "SLURM_NODEID", "SLURM_PROCID",
                                   "SLURM_LOCALID", "SLURM_GTIDS"}) {
      setenv(name, "0", 1);
    }
    unsetenv("MUSTER_DISTRIBUTED");
    setenv("SLURM_MPI_TYPE", "none", 1);
  }
};

TEST_F(MusterProgram, HandsOnTheWorstWords) {
  const List worst{
      "",  "[1,2]", "[]", "[[1,2],[3]]",      "[ ]", "[",      "]",  "--",          "-",
      "'", "\"x\"", "\n", "a\nb\n",           "\t",  "\x1b[m", "{}", "%%",          "$HOME",
      "*", "\\",    "=",  "\xff\xfe",         "é",   "--help", "-h", "--config=/x", "++",
      "#", " ",     ":x", "--distributed=off"};
  for (const auto& way : ways()) expect_words_arrive(way, worst);
}

TEST_F(MusterProgram, HandsOnTheLongestWordAndTenThousand) {
  List words(10'000, "[w]");
  words.front() = std::string(longest_word, 'x');
  words.back() = "[" + std::string(longest_word - 2, ',') + "]";
  for (const auto& way : ways()) expect_words_arrive(way, words);
}

TEST_F(MusterProgram, HandsOnWordsOfAnyBytes) {
  fixtures::RandomText random(3);
  for (int round = 0; round < 12; ++round) {
    List words;
    for (auto count = random.below(200); count > 0; --count) {
      words.push_back(random.bytes(20));
      std::ranges::replace(words.back(), '\0', '[');
    }
    for (const auto& way : ways()) expect_words_arrive(way, words);
  }
}

TEST_F(MusterProgram, RefusesASitesFileThatIsNotThere) {
  const std::string config = "--config=" + testing::TempDir() + "no-such.yaml";
  for (const List& words : {List{"check", config, "--distributed=off"}, List{"topo", config},
                            List{"plan", config, "--layout=a:1"}, List{"exec", config, "true"}}) {
    List command{MUSTER_PROGRAM};
    std::ranges::copy(words, std::back_inserter(command));
    EXPECT_EQ(run_program(command).code, 1) << words.front();
  }
  EXPECT_EQ(run_program({MUSTER_PROGRAM, "check", "--distributed=off"}).code, 0);
}

TEST_F(MusterProgram, SaysWhichCommandWasMeant) {
  EXPECT_EQ(run_program({MUSTER_PROGRAM, "tpo"}).code, 2);
  EXPECT_EQ(run_program({MUSTER_PROGRAM, "help"}).code, 0);
  EXPECT_EQ(run_program({MUSTER_PROGRAM, "plan", "--layot=a:1"}).code, 2);
  EXPECT_EQ(run_program({MUSTER_PROGRAM, "--version"}).code, 0);
}

}  // namespace
}  // namespace muster::command
