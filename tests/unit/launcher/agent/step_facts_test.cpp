#include "agent/step_facts.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::agent {
namespace {

using Addresses = std::vector<std::string>;

TEST(ChannelOf, IsFirstWhereSlurmItselfHeardOfSrun) {
  const Attempt attempt{.request = {}, .channel = {.port = 7000, .addresses = {"10.0.0.1"}}};
  EXPECT_EQ(channel_of(attempt, {{"SLURM_SRUN_COMM_HOST", "fd00::1"}}).addresses,
            (Addresses{"fd00::1", "10.0.0.1"}));
  EXPECT_EQ(channel_of(attempt, {}).addresses, Addresses{"10.0.0.1"});
}

TEST(ChannelOf, IsNowhereWithoutASupervisor) {
  EXPECT_FALSE(channel_of({}, {{"SLURM_SRUN_COMM_HOST", "fd00::1"}}));
}

}  // namespace
}  // namespace muster::agent
