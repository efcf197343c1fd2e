#include "core/slurm/config.hpp"

#include <gtest/gtest.h>

namespace muster::slurm {
namespace {

using std::chrono::seconds;
using Directories = std::vector<std::string>;

// Lines of `scontrol show config`, Slurm 22.05. Newer releases print the same form.
Config slurms() {
  return Config::from_text(
      "Configuration data as of 2026-01-02T03:04:05\n"
      "AuthInfo                = (null)\n"
      "KeepAliveTime           = SYSTEM_DEFAULT\n"
      "KillOnBadExit           = 0\n"
      "KillWait                = 45 sec\n"
      "LaunchParameters        = (null)\n"
      "PluginDir               = /opt/a::/opt/b\n"
      "SchedulerParameters     = bf_max_job_test=1,bf_continue\n"
      "SlurmctldPort           = 6820-6830\n"
      "SlurmctldTimeout        = 120 sec\n"
      "SlurmdPort              = 7003\n"
      "SlurmdTimeout           = 60 sec\n"
      "TaskPluginParam         = (null type)\n"
      "\n"
      "MPI Plugins Configuration:\n"
      "KillWait                = 1 sec\n"
      "\n"
      "Slurmctld(primary) at host is UP\n");
}

TEST(Config, HasTheSitesValues) {
  EXPECT_EQ(slurms().kill_wait(), seconds{45});
  EXPECT_EQ(slurms().slurmd_timeout(), seconds{60});
  EXPECT_EQ(slurms().slurmd_port(), 7003);
  EXPECT_EQ(slurms().plugin_directories(), (Directories{"/opt/a", "/opt/b"}));
  EXPECT_TRUE(slurms().permits_shrinking());
  EXPECT_EQ(slurms().value("TaskPluginParam"), "(null type)");
  EXPECT_EQ(slurms().value("Slurmd"), "");
}

TEST(Config, KnowsThatNoNodeIsEverCalledDown) {
  EXPECT_EQ(Config::from_text("SlurmdTimeout           = 0 sec\n").slurmd_timeout(), seconds{0});
}

TEST(Config, HasSlurmsDefaultForAPortThatIsNotThere) {
  EXPECT_EQ(Config().slurmd_port(), 6818);
  EXPECT_EQ(Config::from_text("SlurmdPort = 70000\n").slurmd_port(), 6818);
}

TEST(Config, KnowsWhetherRequeuesMayBeExpedited) {
  EXPECT_TRUE(
      Config::from_text("SlurmctldParameters     = enable_stepmgr,enable_expedited_requeue\n")
          .permits_expedited_requeue());
  EXPECT_FALSE(Config::from_text("SlurmctldParameters     = (null)\n").permits_expedited_requeue());
}

TEST(Config, KnowsWhetherAJobMayGiveNodesBack) {
  EXPECT_FALSE(Config::from_text("SchedulerParameters     = bf_max=1,disable_job_shrink\n")
                   .permits_shrinking());
  EXPECT_TRUE(Config::from_text("SchedulerParameters     = (null)\nOther = disable_job_shrink\n")
                  .permits_shrinking());
}

TEST(Config, IsEmptyWhereScontrolFailed) {
  for (const auto* const text :
       {"", "scontrol: error: no controller\n", "KillWait  = sec\n", "=\n"}) {
    EXPECT_EQ(Config::from_text(text).kill_wait(), std::nullopt) << text;
    EXPECT_EQ(Config::from_text(text).slurmd_timeout(), std::nullopt) << text;
    EXPECT_TRUE(Config::from_text(text).plugin_directories().empty()) << text;
  }
}

TEST(Config, HasNothingOfALineThatWasCutOff) {
  EXPECT_EQ(Config::from_text("SlurmdTimeout = 3").slurmd_timeout(), std::nullopt);
}

}  // namespace
}  // namespace muster::slurm
