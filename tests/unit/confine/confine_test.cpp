// Real CPUs and memory of this machine, in separate processes.
#include "confine/confine.hpp"

#include "fixtures/emulation.hpp"

#include <array>
#include <functional>
#include <string>

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace muster::confine {
namespace {

using Mask = std::vector<std::uint64_t>;
using Mode = wire::MemoryPolicy::Mode;

// What `body` returns in a separate process, which it may confine as it likes.
std::string in_child(const std::function<std::string()>& body) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    const auto text = body();
    _exit(write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()) ? 0 : 1);
  }
  close(ends[1]);
  std::array<char, 4096> text{};
  const auto size = read(ends[0], text.data(), text.size());
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return {text.data(), size > 0 ? static_cast<std::size_t>(size) : 0};
}

Mask cpus() {
  Mask mask(wire::max_cpu_words);
  sched_getaffinity(0, mask.size() * sizeof mask[0], reinterpret_cast<cpu_set_t*>(mask.data()));
  while (!mask.empty() && mask.back() == 0) mask.pop_back();
  return mask;
}

Mask only(std::size_t index) {
  Mask mask(index / 64 + 1);
  mask.back() = std::uint64_t{1} << index % 64;
  return mask;
}

std::size_t first_cpu() {
  std::size_t cpu = 0;
  const auto all = cpus();
  while ((all[cpu / 64] >> cpu % 64 & 1) == 0) ++cpu;
  return cpu;
}

std::string all_of(const Confined& done) {
  std::string text = done.bound ? "bound" : "unbound";
  text += done.may_start ? "" : " must not start";
  for (const auto& remark : done.remarks) text += "; " + remark;
  return text;
}

int memory_mode() {
  int mode = -1;
  syscall(SYS_get_mempolicy, &mode, nullptr, 0UL, nullptr, 0UL);
  return mode;
}

TEST(List, IsWrittenAsTheKernelWritesIt) {
  EXPECT_EQ(list_text({}), "");
  EXPECT_EQ(list_text({0xF}), "0-3");
  EXPECT_EQ(list_text({0x10D}), "0,2-3,8");
  EXPECT_EQ(list_text({1ULL << 63, 1}), "63-64");
}

TEST(Confine, LeavesATaskAloneForWhichNothingIsPlanned) {
  const auto before = cpus();
  EXPECT_EQ(all_of(confine({})), "bound");
  EXPECT_EQ(cpus(), before);
  MUSTER_NOT_IN_QEMU("does not know get_mempolicy");
  EXPECT_EQ(memory_mode(), 0);
}

TEST(Confine, BindsToTheCpusWithoutAWord) {
  const auto cpu = first_cpu();
  EXPECT_EQ(in_child([&] {
              wire::TaskPlan task;
              task.cpu_mask = only(cpu);
              task.cpu_mask.resize(40);  // trailing zeros change nothing
              const auto first = all_of(confine(task));
              return first + ' ' + list_text(cpus());
            }),
            "bound " + std::to_string(cpu));
}

TEST(Confine, NamesWhatTheKernelAllowsOfCpusBeyondTheFirst1024) {
  const auto cpu = first_cpu();
  const auto said = in_child([&] {
    wire::TaskPlan task;
    task.cpu_mask = only(5000);
    task.cpu_mask[cpu / 64] |= std::uint64_t{1} << cpu % 64;
    const auto first = all_of(confine(task));
    return first + ' ' + list_text(cpus());
  });
  const auto number = std::to_string(cpu);
  EXPECT_TRUE(said.starts_with("bound; the kernel allows only CPUs " + number + " of " + number +
                               ",5000: "))
      << said;
  EXPECT_TRUE(said.ends_with(' ' + number)) << said;
}

TEST(Confine, SaysWhereATaskStaysWhoseCpusAreRefused) {
  const auto said = in_child([] {
    wire::TaskPlan task;
    task.cpu_mask = only(5000);
    task.memory = {Mode::preferred, {1}};
    const auto first = all_of(confine(task));
    return first + ' ' + std::to_string(memory_mode());
  });
  EXPECT_TRUE(
      said.starts_with("unbound; the kernel allows none of CPUs 5000 (Invalid argument): "
                       "the task stays on CPUs " +
                       list_text(cpus()) + ','))
      << said;
  MUSTER_NOT_IN_QEMU("does not know get_mempolicy");
  EXPECT_TRUE(said.ends_with(" 0")) << "memory near CPUs that it does not have: " << said;
}

TEST(Confine, DoesNotLetATaskStartThatMustHaveItsCpus) {
  const auto said = in_child([] {
    wire::TaskPlan task;
    task.cpu_mask = only(5000);
    task.cpus_required = true;
    return all_of(confine(task));
  });
  EXPECT_TRUE(said.starts_with("unbound must not start; ")) << said;
  EXPECT_NE(said.find("bind=exclusive cannot be honored"), std::string::npos) << said;
}

// Every Linux with NUMA has node 0 or says why not.
class ConfineMemory : public testing::Test {
 protected:
  void SetUp() override {
    if (memory_mode() != 0) GTEST_SKIP() << "this kernel has no memory policies";
  }

  static std::string after(const wire::MemoryPolicy& policy) {
    return in_child([&] {
      wire::TaskPlan task;
      task.memory = policy;
      const auto first = all_of(confine(task));
      return first + ' ' + std::to_string(memory_mode());
    });
  }
};

TEST_F(ConfineMemory, PrefersOrBindsNode0) {
  EXPECT_EQ(after({Mode::preferred, {1}}), "bound 1");
  EXPECT_EQ(after({Mode::bind, {1}}), "bound 2");
}

TEST_F(ConfineMemory, NamesTheNodesThatTheKernelLeavesOut) {
  const auto said = after({Mode::bind, {1, 0, 0, 1}});
  EXPECT_TRUE(said.starts_with("bound; of NUMA nodes 0,192, the kernel allows memory only on 0: "))
      << said;
}

TEST_F(ConfineMemory, SaysWhyItIsRefusedAndInsistsOnlyOnAStrictWish) {
  const auto preferred = after({Mode::preferred, {0, 0, 0, 1}});
  EXPECT_TRUE(preferred.starts_with(
      "bound; the kernel refuses memory on NUMA nodes 192 (Invalid argument): the task uses "
      "memory from any NUMA node; "))
      << preferred;
  EXPECT_TRUE(preferred.ends_with(" 0")) << preferred;
  const auto strict = after({Mode::bind, {0, 0, 0, 1}});
  EXPECT_TRUE(strict.starts_with("bound must not start; ")) << strict;
}

}  // namespace
}  // namespace muster::confine
