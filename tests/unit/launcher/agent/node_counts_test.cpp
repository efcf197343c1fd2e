#include "launcher/agent/node_counts.hpp"

#include "fixtures/scratch_directory.hpp"
#include "unit/launcher/agent/ranks/script.hpp"

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::agent {
namespace {

const std::vector<std::string> task_environment{"MUSTER_STEP=42.0", "SLURM_TASK_PID=SELF"};

ranks::Ranks rank_of(const ranks::Script& script) {
  ranks::Ranks ranks({{.rank = 0, .local_rank = 0}}, "42.0", 0);
  wire::TasksStarted started;
  started.pids.push_back(static_cast<std::uint32_t>(script.pid()));
  ranks.started(started, std::chrono::steady_clock::now());
  return ranks;
}

status::Signs signs_of(const ranks::Script& script) {
  FileSizes sizes;
  return count_node(rank_of(script), {}, sizes).signs.value_or(status::Signs());
}

TEST(NodeCounts, HaveTheBytesOfAStandardErrorThatIsAFileAndNotOfAPipe) {
  const fixtures::ScratchDirectory directory;
  const auto file = directory.path("rank-0.err");
  ranks::Script rank("echo ready; read x; echo 1234567 >&2; echo done; read x", task_environment,
                     file);
  EXPECT_EQ(rank.line(), "ready");
  EXPECT_EQ(signs_of(rank).output, 0);
  rank.go_on();
  EXPECT_EQ(rank.line(), "done");
  EXPECT_EQ(signs_of(rank).output, 8);
}

TEST(NodeCounts, SeeAProcessThatARankHasStarted) {
  ranks::Script rank("echo ready; read x; sleep 60 & echo started; read x", task_environment);
  EXPECT_EQ(rank.line(), "ready");
  EXPECT_EQ(signs_of(rank).newest_process, 0);
  rank.go_on();
  EXPECT_EQ(rank.line(), "started");
  EXPECT_GT(signs_of(rank).newest_process, 0);
}

TEST(NodeCounts, HaveTheCpuTimeOfCompilersAndOfNothingElse) {
  const fixtures::ScratchDirectory directory;
  const auto compiler = directory.path("cc1plus");
  std::filesystem::create_symlink("/bin/sh", compiler);
  const std::string spin = " -c 'echo ready; while :; do :; done'";
  ranks::Script compiles(compiler + spin + " & wait", task_environment);
  EXPECT_EQ(compiles.line(), "ready");
  EXPECT_TRUE(ranks::comes_true([&] { return signs_of(compiles).compilers_ms > 20; }));
  ranks::Script spins("/bin/sh" + spin + " & wait", task_environment);
  EXPECT_EQ(spins.line(), "ready");
  FileSizes sizes;
  EXPECT_TRUE(
      ranks::comes_true([&] { return count_node(rank_of(spins), {}, sizes).files.has_value(); }));
  EXPECT_EQ(signs_of(spins).compilers_ms, 0);
  for (auto* const script : {&compiles, &spins}) rank_of(*script).signal({SIGKILL});
}

}  // namespace
}  // namespace muster::agent
