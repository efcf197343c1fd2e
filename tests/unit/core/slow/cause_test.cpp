#include "core/slow/cause.hpp"

#include <gtest/gtest.h>

namespace muster::slow {
namespace {

TEST(SlowCause, IsTheSurestSignThatTheNodeGives) {
  Evidence evidence{.computing = 300, .workers = 2, .workers_computing = 1900};
  EXPECT_EQ(cause_of(evidence), "it waits for data: its 2 child processes compute on 1.9 cores");
  evidence.queueing = 450;
  EXPECT_EQ(cause_of(evidence),
            "its CPUs are shared: it spends 45 % of the time waiting for a CPU");
  evidence.faults = 2000;
  EXPECT_EQ(cause_of(evidence), "it is short of memory: 2000 pages a second come from disk");
  evidence.throttled = 380;
  EXPECT_EQ(cause_of(evidence), "its CPUs are throttled 38 % of the time by its control group");
}

TEST(SlowCause, TellsARankThatComputesFromOneThatWaits) {
  EXPECT_EQ(cause_of({.computing = 900}), "it computes for longer than its peers");
  // Of the 45 % of the time in which it does not hold the others up, it cannot compute 49.
  EXPECT_EQ(cause_of({.computing = 490, .workers = 1}, 55),
            "it computes for longer than its peers");
  EXPECT_EQ(cause_of({.computing = 440, .workers = 1}, 55),
            "it waits, and its one child process waits as well: probably for storage or data");
  EXPECT_EQ(cause_of({.computing = 100, .workers = 1, .workers_computing = 900}),
            "it waits for data: its one child process computes on 0.9 cores");
  EXPECT_EQ(
      cause_of({.computing = 100}),
      "it waits without computing: probably for storage, data, the network or another program");
  EXPECT_EQ(cause_of({.computing = 100, .workers = 1, .workers_computing = 10}),
            "it waits, and its one child process waits as well: probably for storage or data");
}

TEST(SlowCause, IsNoSharedCpuWhereThatExplainsLessThanHalf) {
  EXPECT_EQ(cause_of({.computing = 650, .queueing = 180}, 57),
            "it computes for longer than its peers");
  EXPECT_EQ(cause_of({.computing = 650, .queueing = 290}, 57),
            "its CPUs are shared: it spends 29 % of the time waiting for a CPU");
  EXPECT_EQ(cause_of({.computing = 650, .queueing = 180}, 10),
            "its CPUs are shared: it spends 18 % of the time waiting for a CPU");
}

TEST(SlowCause, IsTheNetworkWhereSegmentsAreRepeated) {
  EXPECT_EQ(cause_of({.computing = 900, .segments = 10'000, .repeated = 400}),
            "its node retransmits 4.0 % of its TCP segments");
  EXPECT_EQ(cause_of({.computing = 900, .segments = 10, .repeated = 5}),
            "it computes for longer than its peers");
}

TEST(SlowCause, IsTheGpuWhereItsClockIsLowered) {
  Evidence evidence{.computing = 900, .gpu = GpuEvidence{}};
  EXPECT_EQ(cause_of(evidence), "it computes for longer than its peers, on its CPU or its GPU");
  evidence.gpu = GpuEvidence{.capped = 1000, .megahertz = 1290, .other_megahertz = 1755};
  EXPECT_EQ(cause_of(evidence),
            "its GPU runs at 1290 MHz because of its power limit, while the node's other busy "
            "GPUs run at 1755 MHz");
  evidence.gpu->strangers = 1;
  EXPECT_EQ(cause_of(evidence), "its GPU is shared with another process");
  evidence.gpu->braked = 400;
  EXPECT_EQ(cause_of(evidence), "its GPU's clock is lowered 40 % of the time by the power supply");
  evidence.gpu->hot = 620;
  evidence.gpu->celsius = 87;
  EXPECT_EQ(cause_of(evidence),
            "its GPU is too hot (87 °C): its clock is lowered 62 % of the time");
}

// All GPUs of a healthy node reach their power limits, and their clocks differ by a few percent.
TEST(SlowCause, IsNoGpuThatRunsLikeTheOthers) {
  const GpuEvidence usual{.capped = 1000, .megahertz = 1695, .other_megahertz = 1755};
  EXPECT_EQ(cause_of({.computing = 900, .gpu = usual}),
            "it computes for longer than its peers, on its CPU or its GPU");
}

TEST(SlowCause, ThatALinkIsSlowFitsARankThatOnlyWaitsOrComputes) {
  for (const auto& evidence : {Evidence{}, Evidence{.computing = 100}, Evidence{.computing = 950},
                               Evidence{.computing = 100, .workers = 3, .workers_computing = 2500},
                               Evidence{.computing = 100, .segments = 10'000, .repeated = 400}}) {
    EXPECT_TRUE(fits_slow_link(evidence)) << cause_of(evidence);
  }
  for (const auto& evidence : {Evidence{.throttled = 50}, Evidence{.queueing = 300},
                               Evidence{.memory_stall = 100}, Evidence{.faults = 500}}) {
    EXPECT_FALSE(fits_slow_link(evidence)) << cause_of(evidence);
  }
}

TEST(SlowCause, ANodeWithoutCpuTimeOrMemorySlowsItsConnections) {
  EXPECT_TRUE(slows_connections({.throttled = 400}));
  EXPECT_TRUE(slows_connections({.faults = 2000}));
  EXPECT_TRUE(slows_connections({.memory_stall = 200}));
  EXPECT_FALSE(slows_connections({.throttled = 50, .computing = 1000, .queueing = 500}));
}

TEST(SlowCause, IsNotMadeUp) {
  EXPECT_EQ(cause_of({}), "");
  EXPECT_EQ(
      cause_of({.throttled = 0, .queueing = 20, .memory_stall = 10, .faults = 3, .segments = 1000}),
      "");
}

}  // namespace
}  // namespace muster::slow
