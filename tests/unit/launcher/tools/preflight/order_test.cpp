#include "launcher/tools/preflight/order.hpp"

#include "core/error.hpp"
#include "fixtures/random_record.hpp"
#include "launcher/tools/preflight/node.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::preflight {
namespace {

const channel::Address place{4711, {"10.1.2.3", "fd00::1"}};

TEST(TestOrder, IsReadAsItWasWritten) {
  for (const auto& order : {TestOrder{3, true, true, place}, TestOrder{4, false, false, {}}})
    EXPECT_EQ(test_order(to_text(order)), order);
}

TEST(NcclOrder, IsReadAsItWasWritten) {
  for (const auto& order : {NcclOrder{3, true, true, place}, NcclOrder{4, false, false, {}}})
    EXPECT_EQ(nccl_order(to_text(order)), order);
  const auto limits = nccl_limits(std::chrono::seconds(10));
  EXPECT_EQ(limits.start, std::chrono::milliseconds(2500));
  for (const auto& order :
       {limits, nccl_limits(std::chrono::seconds(1)), nccl_limits(std::chrono::seconds(300))})
    EXPECT_EQ(nccl_start_order(to_text(order)), order);
}

TEST(NcclOrder, IsNoOrderOfTheNetworksTests) {
  EXPECT_EQ(test_order(to_text(NcclOrder{4, false, false, {}})), std::nullopt);
  EXPECT_EQ(nccl_order(to_text(TestOrder{4, false, false, {}})), std::nullopt);
  using std::chrono::milliseconds;
  for (const auto& order : {NcclStartOrder{milliseconds(2500), milliseconds(15001)},
                            NcclStartOrder{milliseconds(0), milliseconds(2500)}})
    EXPECT_EQ(nccl_start_order(to_text(order)), std::nullopt);
}

TEST(Hello, IsReadAsItWasWritten) {
  for (const bool gpu : {true, false})
    EXPECT_EQ(hello_from(to_text(Hello{"node7", place, gpu})), (Hello{"node7", place, gpu}));
}

TEST(Orders, ThatCannotBeAreNothing) {
  for (const auto& order :
       {TestOrder{1, true, false, {}}, TestOrder{1, true, false, {0, {"10.0.0.1"}}},
        TestOrder{1, true, false, {1, {"host"}}}, TestOrder{1, true, false, {1, {}}},
        TestOrder{1, false, false, place}})
    EXPECT_EQ(test_order(to_text(order)), std::nullopt);
  for (const auto& hello : {Hello{"", place}, Hello{"node", {1, {"host"}}}, Hello{"node", {}},
                            Hello{"node", {1, std::vector<std::string>(17, "10.0.0.1")}}})
    EXPECT_EQ(hello_from(to_text(hello)), std::nullopt);
}

TEST(Orders, ComeBackAsTheyWereAndNothingElseDoes) {
  fixtures::expect_one_form<NcclStartOrder>();
  fixtures::expect_one_form<StepOrder>();
  const std::vector<std::string> samples{"10.1.2.3", "fd00::1"};
  fixtures::expect_one_form<TestOrder>(samples);
  fixtures::expect_one_form<NcclOrder>(samples);
  fixtures::expect_one_form<Hello>(samples);
}

TEST(StepOrder, IsReadAsItWasWritten) {
  const StepOrder order{
      secret::make_key(), place, std::chrono::milliseconds(9000), {"ib0", "eth*"}};
  EXPECT_EQ(step_order(to_text(order)), order);
  const StepOrder bare{secret::make_key(), place, std::chrono::milliseconds(9000), {}};
  EXPECT_EQ(step_order(to_text(bare)), bare);
}

TEST(StepOrder, ThatIsDamagedIsOneLine) {
  const StepOrder order{secret::make_key(), place, std::chrono::milliseconds(9000), {}};
  const auto text = to_text(order);
  EXPECT_THROW(step_order(""), Error);
  for (std::size_t size = 0; size < text.size(); ++size)
    EXPECT_THROW(step_order(text.substr(0, size)), Error) << size;
  EXPECT_THROW(step_order(text.substr(1)), Error);
  EXPECT_THROW(step_order("x" + text), Error);
}

}  // namespace
}  // namespace muster::preflight
