// The real program with doubles of CUDA and NCCL (gpu_double.c): two processes play two nodes.
#include "launcher/tools/preflight/nccl_program.hpp"

#include "fixtures/scratch_directory.hpp"
#include "launcher/tools/preflight/nccl_environment.hpp"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <map>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

namespace muster::preflight {
namespace {

using Clock = std::chrono::steady_clock;
using State = NcclStart::State;
using std::chrono::milliseconds;

constexpr NcclStartOrder start_order{milliseconds{10000}, milliseconds{5000}};
constexpr NcclStartOrder short_start_order{milliseconds{700}, milliseconds{700}};

Environment environment_of(const std::string& node, const Environment& orders) {
  auto environment = orders;
  environment.add("LD_LIBRARY_PATH", GPU_DOUBLES);
  environment.add("NCCL_HOSTID", node);
  return nccl_environment(environment, node, "lo", "");
}

class Node {
 public:
  explicit Node(const std::string& name, const Environment& orders = {})
      : program_(MUSTER_PREFLIGHT_NCCL, environment_of(name, orders)) {}

  NcclStart start(const NcclStartOrder& within = start_order) {
    auto start = program_.start(within);
    port_ = start.port;
    return start;
  }
  NcclReport test(const NcclOrder& order) { return program_.test(order, key); }
  [[nodiscard]] std::uint16_t port() const { return port_; }
  NcclProgram& program() { return program_; }

 private:
  static constexpr secret::Key key{1, 2, 3};
  NcclProgram program_;
  std::uint16_t port_ = 0;
};

struct Both {
  NcclReport from;  // rank 1
  NcclReport to;
};

Both test(Node& from, Node& to, std::uint32_t number = 7, bool small = true) {
  auto other = std::async(std::launch::async, [&] { return to.test({number, false, small, {}}); });
  Both both;
  both.from = from.test({number, true, small, {to.port(), {"127.0.0.1"}}});
  both.to = other.get();
  return both;
}

// Two nodes that are ready, the second one with the faults requested for "b".
struct Two {
  explicit Two(const Environment& orders = {}) : a("a", orders), b("b", orders) {
    EXPECT_EQ(a.start().state, State::ready);
    EXPECT_EQ(b.start().state, State::ready);
  }
  Node a;
  Node b;
};

TEST(NcclProgram, MeasuresAnAllReduceBetweenTwoNodesAsOftenAsItIsAsked) {
  Two nodes;
  for (std::uint32_t number = 0; number < 3; ++number) {
    const auto [from, to] = test(nodes.a, nodes.b, number, number > 0);
    for (const auto* report : {&from, &to}) {
      ASSERT_TRUE(report->report.measure) << report->report.failure;
      EXPECT_EQ(report->report.test, number);
      EXPECT_GT(report->report.measure->latency, 1);
      EXPECT_GE(report->report.measure->mean, report->report.measure->latency * 0.5);
      EXPECT_GT(report->report.measure->bandwidth, 1e6);
      EXPECT_GT(report->time, 0);
    }
  }
  const auto back = test(nodes.b, nodes.a, 9);
  EXPECT_TRUE(back.from.report.measure && back.to.report.measure) << back.from.report.failure;
}

TEST(NcclProgram, SaysTheVersionAndWhereOthersFindIt) {
  Node node("a", {{"NCCL_DOUBLE_VERSION", "a:22703"}});
  const auto start = node.start();
  EXPECT_EQ(start.state, State::ready) << start.why;
  EXPECT_EQ(start.version, 22703U);
  EXPECT_GT(start.port, 0);
}

TEST(NcclProgram, SeesThatAnAllReduceIsSlow) {
  Two nodes(Environment{{"NCCL_DOUBLE_SLOW", "b:5000"}});
  const auto [from, to] = test(nodes.a, nodes.b);
  ASSERT_TRUE(from.report.measure && to.report.measure) << from.report.failure;
  EXPECT_GT(from.report.measure->latency, 2500);
  EXPECT_GT(to.report.measure->latency, 2500);
}

TEST(NcclProgram, SeesThatABandwidthIsSmall) {
  Two nodes(Environment{{"NCCL_DOUBLE_NARROW", "b:10000"}});
  const auto [from, to] = test(nodes.a, nodes.b);
  ASSERT_TRUE(from.report.measure) << from.report.failure;
  EXPECT_LT(from.report.measure->bandwidth, 1.2e8);
}

TEST(NcclProgram, SaysThatNcclFailsAndTestsAgainWithAnother) {
  Two nodes(Environment{{"NCCL_DOUBLE_FAILS", "b"}});
  const auto [from, to] = test(nodes.a, nodes.b);
  EXPECT_FALSE(to.late);
  EXPECT_TRUE(to.report.failure.starts_with("ncclAllReduce failed with error 5"))
      << to.report.failure;
  EXPECT_FALSE(from.report.measure);
  EXPECT_FALSE(from.report.failure.empty());
  Node other("c");
  ASSERT_EQ(other.start().state, State::ready);
  const auto again = test(nodes.a, other, 8);
  EXPECT_TRUE(again.from.report.measure) << again.from.report.failure;
}

TEST(NcclProgram, SaysThatSumsAreWrong) {
  Two nodes(Environment{{"NCCL_DOUBLE_WRONG", "b"}});
  const auto to = test(nodes.a, nodes.b).to;
  EXPECT_TRUE(to.report.failure.starts_with("an all-reduce returned a wrong sum"))
      << to.report.failure;
}

TEST(NcclProgram, IsLateWhereAnAllReduceHangsAndTestsAgainWithAnother) {
  Two nodes(Environment{{"NCCL_DOUBLE_HANGS", "b"}});
  const auto begin = Clock::now();
  const auto [from, to] = test(nodes.a, nodes.b);
  EXPECT_LT(Clock::now() - begin, start_order.test + milliseconds{1000});
  EXPECT_TRUE(from.late && to.late) << from.report.failure << "; " << to.report.failure;
  Node other("c");
  ASSERT_EQ(other.start().state, State::ready);
  const auto again = test(nodes.a, other, 8);
  EXPECT_TRUE(again.from.report.measure) << again.from.report.failure;
}

TEST(NcclProgram, IsKilledWhereNcclCannotEvenBeAborted) {
  Two nodes(Environment{{"NCCL_DOUBLE_STUCK", "b"}});
  const auto begin = Clock::now();
  const auto [from, to] = test(nodes.a, nodes.b);
  EXPECT_LT(Clock::now() - begin, start_order.test + milliseconds{1000});
  EXPECT_TRUE(to.late) << to.report.failure;
}

TEST(NcclProgram, ThatCrashesCostsItsOwnTestOnly) {
  Two nodes(Environment{{"NCCL_DOUBLE_CRASHES", "b"}});
  const auto [from, to] = test(nodes.a, nodes.b);
  EXPECT_FALSE(to.late);
  EXPECT_EQ(to.report.failure, "NCCL or the driver has terminated the program");
  EXPECT_FALSE(from.report.failure.empty());
  Node other("c");
  ASSERT_EQ(other.start().state, State::ready);
  EXPECT_TRUE(test(nodes.a, other, 8).from.report.measure);
}

TEST(NcclProgram, HearsNoneOfTheWordsThatNcclPrints) {
  Two nodes(Environment{{"NCCL_DOUBLE_TALKS", "b"}});
  const auto to = test(nodes.a, nodes.b).to;
  ASSERT_TRUE(to.report.measure) << to.report.failure;
  EXPECT_NE(to.report.measure->latency, 1);
}

TEST(NcclProgram, IsLateWhereTheDriverHangs) {
  Node node("b", {{"GPU_DOUBLE_INIT_HANGS", "b"}});
  const auto begin = Clock::now();
  const auto start = node.start(short_start_order);
  EXPECT_EQ(start.state, State::late) << start.why;
  EXPECT_LT(Clock::now() - begin, short_start_order.start + milliseconds{500});
}

TEST(NcclProgram, SaysThatTheDriverFails) {
  Node node("b", {{"GPU_DOUBLE_INIT_FAILS", "b"}});
  const auto start = node.start();
  EXPECT_EQ(start.state, State::failed);
  EXPECT_EQ(start.why, "cuInit: system not yet initialized");
}

TEST(NcclProgram, IsLeftOutWithoutAGpuOrALibraryAndSaysSo) {
  const auto why = [](const Environment& orders) {
    Node node("b", orders);
    const auto start = node.start();
    EXPECT_EQ(start.state, State::left_out);
    return start.why;
  };
  EXPECT_EQ(why({{"GPU_DOUBLE_NONE", "b"}}), "CUDA finds no GPU");
  EXPECT_TRUE(why({{"MUSTER_NCCL_LIBRARY", "/nowhere/libnccl.so.2"}})
                  .starts_with("NCCL (MUSTER_NCCL_LIBRARY=/nowhere/libnccl.so.2): "));
  NcclProgram absent("/nowhere/muster-preflight-nccl", {});
  EXPECT_EQ(absent.start(start_order).why, "/nowhere/muster-preflight-nccl is not installed");
}

TEST(NcclProgram, TakesNcclFromTheActiveEnvironmentOfPython) {
  namespace fs = std::filesystem;
  const fixtures::ScratchDirectory scratch;
  const auto packages = scratch.path("venv/lib/python3.11/site-packages/nvidia/nccl/lib");
  fs::create_directories(packages);
  fs::create_directories(scratch.path("driver"));
  fs::copy(fs::path(GPU_DOUBLES) / "libcuda.so.1", scratch.path("driver"));
  fs::copy(fs::path(GPU_DOUBLES) / "libnccl.so.2", packages);
  for (const auto& [environment, state] :
       {std::pair{"venv", State::ready}, std::pair{"other", State::left_out}}) {
    Node node("a", {{"LD_LIBRARY_PATH", scratch.path("driver")},
                    {"VIRTUAL_ENV", scratch.path(environment)}});
    const auto start = node.start();
    EXPECT_EQ(start.state, state) << start.why;
  }
}

TEST(NcclProgram, NeedsTheKeyOfTheTestOnBothSides) {
  Two nodes;
  auto other = std::async(std::launch::async, [&] { return nodes.b.test({2, false, true, {}}); });
  const auto from = nodes.a.test({1, true, true, {nodes.b.port(), {"127.0.0.1"}}});
  EXPECT_FALSE(from.report.measure);
  EXPECT_FALSE(other.get().report.measure);
}

TEST(NcclProgram, GivesTheGpuBackAndEnds) {
  const fixtures::ScratchDirectory scratch;
  const auto ledger = scratch.path("ledger");
  {
    Two nodes(Environment{{"GPU_DOUBLE_LEDGER", ledger}});
    const auto both = test(nodes.a, nodes.b);
    EXPECT_TRUE(both.from.report.measure && both.to.report.measure);
    const auto begin = Clock::now();
    nodes.a.program().end();
    nodes.b.program().end();
    EXPECT_LT(Clock::now() - begin, milliseconds{2900}) << "they had to be killed";
  }
  std::ifstream lines(ledger);
  std::map<std::string, int> retained;
  std::map<std::string, std::size_t> left;
  std::string node;
  std::string what;
  std::size_t bytes = 0;
  std::size_t now = 0;
  while (lines >> node >> what >> bytes >> now) {
    if (what == "retained") ++retained[node];
    if (what == "released") --retained[node];
    left[node] = now;
    EXPECT_LE(now, std::size_t{64} << 20);
  }
  EXPECT_EQ(left, (std::map<std::string, std::size_t>{{"a", 0}, {"b", 0}}));
  for (const auto& [name, count] : retained) EXPECT_LE(count, 1) << name;
}

TEST(NcclKey, IsOfOneTestAlone) {
  const secret::Key key{1};
  EXPECT_EQ(nccl_key(key, 1).size(), 64U);
  EXPECT_NE(nccl_key(key, 1), nccl_key(key, 2));
  EXPECT_NE(nccl_key(key, 1), nccl_key(secret::Key{2}, 1));
}

TEST(Gpu, IsSeenInTheKernelsFilesAlone) {
  const fixtures::ScratchDirectory root;
  EXPECT_FALSE(has_nvidia_gpu(root.path("")));
  std::filesystem::create_directories(root.path("proc/driver/nvidia/gpus/0000:41:00.0"));
  EXPECT_TRUE(has_nvidia_gpu(root.path("")));
}

}  // namespace
}  // namespace muster::preflight
