// Compares every capture, and every machine that we construct, x tasks x policies x cpusets with plans that we wrote
// down once and reviewed. MUSTER_UPDATE_GOLDEN=1 writes them again; review the difference before committing it.
#include "captures.hpp"
#include "constructed.hpp"
#include "written_plans.hpp"

#include <algorithm>

namespace muster::golden {
namespace {

TEST(GoldenPlans, AreWhatWeWroteDown) {
  MUSTER_REQUIRE_CAPTURES();
  std::size_t compared = 0;
  for (const auto& name : readable_captures())
    if (compare_with_written_plans(name, load_capture(name))) ++compared;
  if (compared == 0) GTEST_SKIP() << "none of these captures has a golden plan";
}

TEST(GoldenPlans, OfConstructedMachinesAreWhatWeWroteDown) {
  for (const auto& machine : constructed_machines())
    EXPECT_TRUE(compare_with_written_plans(machine.name, machine.node))
        << machine.name << " has no golden plan";
}

}  // namespace
}  // namespace muster::golden
