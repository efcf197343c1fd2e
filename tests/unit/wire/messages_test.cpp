#include "wire/messages.hpp"

#include "fixtures/allocation_meter.hpp"
#include "generate.hpp"
#include "wire/codec.hpp"

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace muster::wire {
namespace {

// The largest structure per byte on the wire: an empty assignment has 8 bytes there, and two strings here.
constexpr std::size_t bytes_per_wire_byte = 8;
constexpr std::size_t slack = 1024;

// The encoding has one form per message: an accepted message must encode to the same bytes.
void expect_none_or_same(const std::string& bytes) {
  const auto same = [&](const auto& message) {
    if (message) {
      EXPECT_EQ(encode(*message), bytes);
    }
  };
  const fixtures::AllocationMeter meter;
  same(decode_facts(bytes));
  same(decode_plan(bytes));
  same(decode_refusal(bytes));
  same(decode_task_exit(bytes));
  same(decode_task_unbound(bytes));
  same(decode_tasks_started(bytes));
  EXPECT_LT(meter.bytes(), 8 * bytes_per_wire_byte * bytes.size() + slack);
}

std::vector<std::string> messages(Generate& generate) {
  return {encode(generate.facts()),
          encode(generate.plan()),
          encode(Refusal{generate.random().bytes(30)}),
          encode(TaskExit{generate.number(), generate.number()}),
          encode(TaskUnbound{generate.number()}),
          encode(TasksStarted{{generate.number(), generate.number()}})};
}

TEST(Messages, CarryTheFactsOfAStep) {
  const StepFacts facts{.job_id = 42,
                        .step_id = 7,
                        .node_index = 1,
                        .node_count = 2,
                        .task_count = 5,
                        .global_ids = {3, 4},
                        .cores = "0-3",
                        .option = "torch,verbose",
                        .working_directory = "/home/alice",
                        .arguments = {"./train", "", "--lr 3"},
                        .environment = {"A=1", "B=x\ny"},
                        .other_root = true,
                        .agent_lost = true,
                        .without_slurm = true,
                        .slurmstepd = "/opt/slurm/sbin/slurmstepd"};
  const auto read = decode_facts(encode(facts));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->job_id, 42U);
  EXPECT_EQ(read->step_id, 7U);
  EXPECT_EQ(read->node_index, 1U);
  EXPECT_EQ(read->node_count, 2U);
  EXPECT_EQ(read->task_count, 5U);
  EXPECT_EQ(read->global_ids, facts.global_ids);
  EXPECT_EQ(read->cores, facts.cores);
  EXPECT_EQ(read->option, facts.option);
  EXPECT_EQ(read->working_directory, facts.working_directory);
  EXPECT_EQ(read->arguments, facts.arguments);
  EXPECT_EQ(read->environment, facts.environment);
  EXPECT_TRUE(read->other_root);
  EXPECT_TRUE(read->agent_lost);
  EXPECT_TRUE(read->without_slurm);
  EXPECT_EQ(read->slurmstepd, facts.slurmstepd);
  EXPECT_FALSE(decode_facts(encode(StepFacts{}))->other_root);
}

TEST(Messages, CarryTheNodePlan) {
  const NodePlan plan{.warnings = {"careful"},
                      .set = {{"A", "1"}},
                      .unset = {"B"},
                      .tasks = {{.set = {{"RANK", "0"}},
                                 .cpu_mask = {0xF0, 1},
                                 .memory = {MemoryPolicy::Mode::preferred_many, {3}},
                                 .cpus_required = true,
                                 .who = "node1: task 2",
                                 .output = "/logs/rank-2.out",
                                 .error = "/logs/rank-2.err"},
                                {}},
                      .directory = "/tmp/muster-42.0-node1-abcdef",
                      .start_hook = "/usr/share/muster/start",
                      .has_files = true,
                      .dry_run = true,
                      .ends_by_failure = true};
  const auto read = decode_plan(encode(plan));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->warnings, plan.warnings);
  ASSERT_EQ(read->set.size(), 1U);
  EXPECT_EQ(read->set[0].name, "A");
  EXPECT_EQ(read->set[0].value, "1");
  EXPECT_EQ(read->unset, plan.unset);
  ASSERT_EQ(read->tasks.size(), 2U);
  EXPECT_EQ(read->tasks[0].set[0].name, "RANK");
  EXPECT_EQ(read->tasks[0].cpu_mask, plan.tasks[0].cpu_mask);
  EXPECT_EQ(read->tasks[0].memory, plan.tasks[0].memory);
  EXPECT_TRUE(read->tasks[0].cpus_required);
  EXPECT_EQ(read->tasks[0].who, "node1: task 2");
  EXPECT_EQ(read->tasks[0].output, "/logs/rank-2.out");
  EXPECT_EQ(read->tasks[0].error, "/logs/rank-2.err");
  EXPECT_EQ(read->tasks[1].output, "");
  EXPECT_TRUE(read->tasks[1].set.empty());
  EXPECT_EQ(read->tasks[1].memory, MemoryPolicy{});
  EXPECT_FALSE(read->tasks[1].cpus_required);
  EXPECT_EQ(read->directory, plan.directory);
  EXPECT_EQ(read->start_hook, plan.start_hook);
  EXPECT_TRUE(read->has_files);
  EXPECT_TRUE(read->dry_run);
  EXPECT_TRUE(read->ends_by_failure);
  EXPECT_FALSE(decode_plan(encode(NodePlan{}))->has_files);
  EXPECT_FALSE(decode_plan(encode(NodePlan{}))->dry_run);
}

TEST(Messages, BoundTheMasksOfATask) {
  const auto with = [](std::size_t cpu_words, std::size_t node_words, std::uint32_t mode) {
    NodePlan plan;
    plan.tasks.resize(1);
    plan.tasks[0].cpu_mask.assign(cpu_words, 1);
    plan.tasks[0].memory = {static_cast<MemoryPolicy::Mode>(mode),
                            std::vector<std::uint64_t>(node_words, 1)};
    return decode_plan(encode(plan)).has_value();
  };
  EXPECT_TRUE(with(max_cpu_words, max_node_words, 2));
  EXPECT_FALSE(with(max_cpu_words + 1, 1, 2));
  EXPECT_FALSE(with(1, max_node_words + 1, 2));
  for (const std::uint32_t unknown : {3, 4, 6, 1 << 15}) EXPECT_FALSE(with(1, 1, unknown));
}

TEST(Messages, CarryARefusalAndATaskExit) {
  EXPECT_EQ(decode_refusal(encode(Refusal{"no such network"}))->text, "no such network");
  EXPECT_EQ(decode_refusal(encode(Refusal{}))->text, "");
  const auto exit = decode_task_exit(encode(TaskExit{3, 0x8B}));
  EXPECT_EQ(exit->local_id, 3U);
  EXPECT_EQ(exit->wait_status, 0x8BU);
  EXPECT_EQ(decode_task_unbound(encode(TaskUnbound{7}))->local_id, 7U);
  const std::vector<std::uint32_t> pids{4711, 4712};
  EXPECT_EQ(decode_tasks_started(encode(TasksStarted{pids}))->pids, pids);
}

TEST(Messages, ComeBackTheSameWhateverTheyHold) {
  Generate generate(1);
  for (int i = 0; i < 2000; ++i) {
    const auto facts = encode(generate.facts());
    const auto plan = encode(generate.plan());
    const auto facts_read = decode_facts(facts);
    const auto plan_read = decode_plan(plan);
    ASSERT_TRUE(facts_read && plan_read);
    ASSERT_EQ(encode(*facts_read), facts);
    ASSERT_EQ(encode(*plan_read), plan);
  }
}

TEST(Messages, AreRefusedWhenCutAnywhere) {
  Generate generate(2);
  for (int i = 0; i < 50; ++i) {
    const auto facts = encode(generate.facts());
    for (std::size_t size = 0; size < facts.size(); ++size) {
      ASSERT_FALSE(decode_facts(std::string_view(facts).substr(0, size))) << size;
    }
    const auto plan = encode(generate.plan());
    for (std::size_t size = 0; size < plan.size(); ++size) {
      ASSERT_FALSE(decode_plan(std::string_view(plan).substr(0, size))) << size;
    }
  }
  EXPECT_FALSE(decode_refusal(""));
  EXPECT_FALSE(decode_task_exit("1234567"));
  EXPECT_FALSE(decode_task_unbound("123"));
  EXPECT_FALSE(decode_tasks_started("1234567"));
}

TEST(Messages, AreRefusedWithBytesAtTheEnd) {
  Generate generate(3);
  EXPECT_FALSE(decode_facts(encode(generate.facts()) + 'x'));
  EXPECT_FALSE(decode_plan(encode(generate.plan()) + 'x'));
  EXPECT_FALSE(decode_refusal(encode(Refusal{"why"}) + 'x'));
  EXPECT_FALSE(decode_task_exit(encode(TaskExit{}) + 'x'));
}

TEST(Messages, SurviveEveryFlippedBit) {
  Generate generate(4);
  for (int i = 0; i < 8; ++i) {
    for (auto bytes : messages(generate)) {
      for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
        const auto mask = static_cast<char>(1 << bit % 8);
        bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ mask);
        expect_none_or_same(bytes);
        bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ mask);
      }
    }
  }
}

TEST(Messages, SurviveALengthThatLiesAtEveryPlace) {
  Generate generate(5);
  constexpr auto most = std::numeric_limits<std::uint32_t>::max();
  for (int i = 0; i < 10; ++i) {
    for (const auto& bytes : messages(generate)) {
      for (std::size_t at = 0; at + sizeof most <= bytes.size(); ++at) {
        for (const std::uint32_t lie : {most, most / 2 + 1, std::uint32_t{1} << 24}) {
          Encoder length;
          length.u32(lie);
          auto changed = bytes;
          changed.replace(at, sizeof lie, length.bytes());
          expect_none_or_same(changed);
        }
      }
    }
  }
}

TEST(Messages, SurviveRandomBytes) {
  fixtures::RandomText random(6);
  for (int i = 0; i < 20'000; ++i) expect_none_or_same(random.bytes(64));
}

std::size_t allocated_for_plan(const std::string& bytes) {
  const fixtures::AllocationMeter meter;
  EXPECT_FALSE(decode_plan(bytes));
  return meter.bytes();
}

// The most that a frame can hold, all of it a list of empty items.
std::string hostile_plan(std::size_t lists_before, std::size_t item_bytes) {
  constexpr std::size_t frame_bytes = std::size_t{16} << 20;
  Encoder head;
  for (std::size_t i = 0; i < lists_before; ++i) head.u32(0);
  head.u32(static_cast<std::uint32_t>(frame_bytes / item_bytes) - 16);
  return head.bytes() + std::string(frame_bytes - head.bytes().size(), '\0');
}

TEST(Messages, OfAHostileAgentTakeNoMoreMemoryThanTheirFrame) {
  EXPECT_LT(allocated_for_plan(hostile_plan(0, sizeof(std::uint32_t))), slack);      // warnings
  EXPECT_LT(allocated_for_plan(hostile_plan(1, 2 * sizeof(std::uint32_t))), slack);  // set
  EXPECT_LT(allocated_for_plan(hostile_plan(2, sizeof(std::uint32_t))), slack);      // unset
  EXPECT_LT(allocated_for_plan(hostile_plan(3, 6 * sizeof(std::uint32_t))), slack);  // tasks
}

TEST(Messages, OfAHostileAgentTakeNoMoreMemoryWhenTheirListsAreSpreadOverTasks) {
  Encoder head;
  for (int i = 0; i < 3; ++i) head.u32(0);
  const std::uint32_t tasks = 100;
  head.u32(tasks);
  std::string bytes = head.bytes();
  const std::uint32_t variables = 20'000;
  for (std::uint32_t task = 0; task < tasks; ++task) {
    Encoder count;
    count.u32(variables);
    bytes += count.bytes() + std::string(8 * variables + 5 * sizeof(std::uint32_t), '\0');
  }
  ASSERT_LT(bytes.size(), std::size_t{16} << 20);
  EXPECT_LT(allocated_for_plan(bytes), bytes.size());
}

TEST(Messages, HaveAtMost32WarningsInAPlan) {
  NodePlan plan;
  plan.warnings.assign(max_warnings, "careful");
  EXPECT_TRUE(decode_plan(encode(plan)));
  plan.warnings.emplace_back("too much");
  EXPECT_FALSE(decode_plan(encode(plan)));
}

TEST(Messages, HoldThePlanOfALargeNode) {
  NodePlan plan;
  plan.tasks.resize(1024);
  for (auto& task : plan.tasks) {
    task.set.assign(100, {"NAME", "value"});
    task.cpu_mask.assign(16, 1);
  }
  EXPECT_TRUE(decode_plan(encode(plan)));
}

TEST(Messages, OfOnlyEmptyThingsStayInProportionToTheirBytes) {
  // A plan that claims as many empty assignments as its bytes can hold.
  const std::uint32_t count = 10'000;
  Encoder head;
  head.texts({});
  head.u32(count);
  const auto bytes = head.bytes() + std::string(std::size_t{count} * 8, '\0') +
                     std::string(7 * sizeof(std::uint32_t), '\0');
  const fixtures::AllocationMeter meter;
  const auto plan = decode_plan(bytes);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->set.size(), count);
  EXPECT_LT(meter.bytes(), bytes_per_wire_byte * bytes.size() + slack);
}

}  // namespace
}  // namespace muster::wire
