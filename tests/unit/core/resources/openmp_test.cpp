#include "core/resources/openmp.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace muster::resources {
namespace {

using Bindings = std::vector<OpenmpBinding>;

TEST(Openmp, BindsThreadsWhereTasksHaveCpusOfTheirOwn) {
  EXPECT_EQ(openmp_bindings({{.cpus = CpuSet{0, 1}}, {.cpus = CpuSet{2, 3}}}),
            (Bindings{{"cores", "spread"}, {"cores", "spread"}}));
}

// If bound, the two that share would both start at CPU 2 and leave CPU 3 idle.
TEST(Openmp, LetsThreadsMoveWhereTasksShareCpus) {
  EXPECT_EQ(openmp_bindings({{.cpus = CpuSet{0}}, {.cpus = CpuSet{2, 3}}, {.cpus = CpuSet{2, 3}}}),
            (Bindings{{"cores", "spread"}, {"cores", "false"}, {"cores", "false"}}));
}

TEST(Openmp, SaysNothingOfCpusThatOthersChose) {
  EXPECT_EQ(openmp_bindings({{.threads = 4}, {.threads = 4}}), (Bindings{{}, {}}));
}

}  // namespace
}  // namespace muster::resources
