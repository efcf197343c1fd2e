#include "worker/times.hpp"

#include "fixtures/scratch_directory.hpp"
#include "transport_double.hpp"
#include "worker/error.hpp"
#include "worker/step.hpp"

#include <algorithm>
#include <csignal>
#include <fstream>
#include <iterator>
#include <regex>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace muster::worker {
namespace {

using Kind = Times::Kind;
using std::chrono::milliseconds;

class TimesTest : public testing::Test {
 protected:
  [[nodiscard]] std::string file() const { return scratch_.path("rank-3.times"); }
  [[nodiscard]] static long long now() {
    return std::chrono::duration_cast<std::chrono::microseconds>(
               Times::Clock::now().time_since_epoch())
        .count();
  }
  [[nodiscard]] Environment::Map variables() const {
    return {{"MUSTER_TIMES", std::to_string(zero_) + ":" + file()},
            {"RANK", "3"},
            {"MUSTER_STEP", "42.0"},
            {"SLURM_JOB_ID", "42"},
            {"SLURM_STEP_ID", "0"}};
  }
  [[nodiscard]] Times times() const { return Times{Environment{variables()}}; }
  [[nodiscard]] std::string text() const {
    std::ifstream from(file());
    return {std::istreambuf_iterator<char>(from), {}};
  }
  [[nodiscard]] bool is_there() const { return ::access(file().c_str(), F_OK) == 0; }

  // Whether a process with these variables leaves a file.
  [[nodiscard]] bool writes(const Environment::Map& variables) const {
    Times times{Environment{variables}};
    times.phase(Kind::own, "join", [] {});
    times.write();
    const bool wrote = is_there();
    ::unlink(file().c_str());
    return wrote;
  }

  fixtures::ScratchDirectory scratch_;
  long long zero_ = now();
};

TEST_F(TimesTest, KeepsEachPhaseWithItsBeginAndEnd) {
  auto kept = times();
  kept.phase(Kind::own, "join", [] { std::this_thread::sleep_for(milliseconds{20}); });
  kept.joined("pmix", "node2");
  EXPECT_EQ(kept.phase(Kind::work_call, "exchange 'a'", [] { return 7; }), 7);
  std::this_thread::sleep_for(milliseconds{20});
  kept.mark("model");
  EXPECT_FALSE(is_there()) << "not before it is asked to";
  kept.write();
  const auto upper = now() - zero_;
  std::smatch found;
  const auto content = text();
  ASSERT_TRUE(std::regex_match(
      content, found,
      std::regex("muster times 1\nphase (\\d+) (\\d+) own ok join\ntransport pmix\nnode node2\n"
                 "phase (\\d+) (\\d+) all ok exchange 'a'\nphase (\\d+) (\\d+) own ok model\n")))
      << content;
  std::vector<long long> moments;
  for (std::size_t i = 1; i < found.size(); ++i) moments.push_back(std::stoll(found[i]));
  EXPECT_TRUE(std::ranges::is_sorted(moments)) << content;
  EXPECT_GE(moments[1] - moments[0], 20'000);
  EXPECT_EQ(moments[4], moments[3]) << "a mark begins where the last phase ended";
  EXPECT_GE(moments[5] - moments[4], 20'000);
  EXPECT_LE(moments[5], upper);
  struct stat status {};
  ASSERT_EQ(::stat(file().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
}

TEST_F(TimesTest, KeepsNothingWhereNobodyWantsItOrItIsAnotherProcesss) {
  EXPECT_TRUE(writes(variables()));
  using Change = std::pair<std::string, std::string>;
  for (const auto& [name, value] : std::vector<Change>{{"MUSTER_TIMES", ""},
                                                       {"MUSTER_TIMES", "5"},
                                                       {"MUSTER_TIMES", "x:" + file()},
                                                       {"MUSTER_TIMES", "-5:" + file()},
                                                       {"MUSTER_TIMES", "5:relative"},
                                                       {"RANK", "4"},
                                                       {"MUSTER_STEP", "42.1"},
                                                       {"MUSTER_STEP", ""}}) {
    auto other = variables();
    other[name] = value;
    EXPECT_FALSE(writes(other)) << name << "=" << value;
  }
  auto later = variables();
  later["MUSTER_TIMES"] = std::to_string(now() + 3'600'000'000) + ":" + file();
  EXPECT_FALSE(writes(later)) << "a clock of its own";
}

TEST_F(TimesTest, KeepsItsRankWhereTheProfileGivesNoneAndWhereThereIsNoSlurm) {
  auto other = variables();
  other.erase("RANK");
  EXPECT_TRUE(writes(other));
  for (const auto* const name : {"SLURM_JOB_ID", "SLURM_STEP_ID"}) other.erase(name);
  EXPECT_TRUE(writes(other));
  other.insert(
      {{"SLURM_STEP_ID", "0"}, {"SLURM_JOB_ID", "43"}, {"SLURM_JOB_ID_HET_GROUP_0", "42"}});
  EXPECT_TRUE(writes(other)) << "a component of a heterogeneous step";
}

TEST_F(TimesTest, WritesWhatFailedAtOnceAndAgainWhatCameLater) {
  auto kept = times();
  EXPECT_THROW(kept.phase(Kind::work_call, "barrier", [] { throw std::runtime_error("no"); }),
               std::runtime_error);
  EXPECT_NE(text().find(" all failed barrier\n"), std::string::npos);
  kept.phase(Kind::own, "leave", [] {});
  kept.write();
  EXPECT_NE(text().find(" own ok leave\n"), std::string::npos);
  EXPECT_EQ(text().find("muster times 1"), text().rfind("muster times 1"));
}

// An existing file is not changed.
TEST_F(TimesTest, TakesNoFileThatIsThereAlready) {
  scratch_.write("rank-3.times", "mine\n");
  auto kept = times();
  kept.phase(Kind::own, "join", [] {});
  kept.write();
  EXPECT_EQ(text(), "mine\n");
  ::unlink(file().c_str());
  ASSERT_EQ(::symlink(scratch_.path("elsewhere").c_str(), file().c_str()), 0);
  auto other = times();
  other.phase(Kind::own, "join", [] {});
  other.write();
  EXPECT_NE(::access(scratch_.path("elsewhere").c_str(), F_OK), 0);
}

TEST_F(TimesTest, WritesAgainOnlyToTheFileThatItMade) {
  auto kept = times();
  kept.phase(Kind::own, "join", [] {});
  kept.write();
  ::unlink(file().c_str());
  scratch_.write("rank-3.times", "mine\n");
  kept.phase(Kind::own, "leave", [] {});
  kept.write();
  EXPECT_EQ(text(), "mine\n");
}

TEST_F(TimesTest, DoesNothingWhereItCannotWrite) {
  errno = 77;
  for (const auto* const path :
       {"/nowhere/at/all/rank-3.times", "/proc/rank-3.times", "/rank-3.times/"}) {
    auto other = variables();
    other["MUSTER_TIMES"] = "0:" + std::string(path);
    Times times{Environment{other}};
    times.phase(Kind::own, "join", [] {});
    times.write();
    times.phase(Kind::own, "leave", [] {});
    times.write();
  }
  EXPECT_EQ(errno, 77);
}

// A write beyond the file size limit would end the process.
TEST_F(TimesTest, DoesNothingWhereTheFileMayNotGrow) {
  const auto child = ::fork();
  if (child == 0) {
    const rlimit none{0, 0};
    ::setrlimit(RLIMIT_FSIZE, &none);
    ::signal(SIGXFSZ, SIG_DFL);
    auto kept = times();
    kept.phase(Kind::own, "join", [] {});
    kept.write();
    ::_exit(is_there() ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(TimesTest, AreNotAForkedChilds) {
  auto kept = times();
  kept.phase(Kind::own, "join", [] {});
  const auto child = ::fork();
  if (child == 0) {
    kept.write();
    ::_exit(is_there() ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(TimesTest, OfARunAreThoseOfItsStartAndBounded) {
  auto kept = times();
  kept.phase(Kind::own, "join", [] {});
  const std::string name(500, 'x');
  for (int i = 0; i < 7; ++i) kept.phase(Kind::work_call, name + "\n", [] {});
  EXPECT_TRUE(is_there()) << "after four calls";
  for (int i = 0; i < 1000; ++i) kept.phase(Kind::work_call, "work", [] {});
  kept.phase(Kind::own, "leave", [] {});
  kept.write();
  const auto content = text();
  EXPECT_EQ(std::ranges::count(content, '\n'), 1 + 1 + 8);
  EXPECT_LT(content.size(), 2048U);
  EXPECT_EQ(content.find("leave"), std::string::npos);
}

TEST_F(TimesTest, OfNcclAreBoundedToo) {
  auto kept = times();
  for (int i = 0; i < 1000; ++i) kept.phase(Kind::all, "NCCL split", [] {});
  kept.write();
  EXPECT_EQ(std::ranges::count(text(), '\n'), 1 + 32);
}

// Two ranks of a step; the second records its times.
template <class Work>
void as_two_ranks(Times& kept, const Work& work) {
  const auto room = std::make_shared<Room>(2);
  const auto run = [&](int rank) {
    Step step{make_room_transport(room, rank), std::chrono::seconds{10},
              rank == 1 ? &kept : nullptr};
    work(step);
  };
  std::thread other([&] { run(0); });
  run(1);
  other.join();
}

TEST_F(TimesTest, OfAStepAreThoseOfItsCallsAndItsEnd) {
  auto kept = times();
  as_two_ranks(kept, [](Step& step) {
    const auto deadline = step.deadline(MUSTER_DEFAULT);
    step.run({.tag = "barrier", .what = "barrier"}, {}, {}, deadline);
    step.finalize(deadline);
  });
  EXPECT_TRUE(std::regex_match(text(), std::regex("muster times 1\nphase \\d+ \\d+ all ok barrier\n"
                                                  "phase \\d+ \\d+ own ok leave\n")))
      << text();
}

TEST_F(TimesTest, OfAStepHaveTheCallThatFailed) {
  auto kept = times();
  as_two_ranks(kept, [](Step& step) {
    const std::string what = "call of rank " + std::to_string(step.rank_info().rank);
    EXPECT_THROW(step.run({.tag = what, .what = what}, {}, {}, step.deadline(MUSTER_DEFAULT)),
                 Error);
  });
  EXPECT_NE(text().find(" all failed call of rank 1\n"), std::string::npos) << text();
}

}  // namespace
}  // namespace muster::worker
