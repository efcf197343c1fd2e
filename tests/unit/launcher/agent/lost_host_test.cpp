// The real child process, with scripts in place of scontrol and scancel.
#include "launcher/agent/lost_host.hpp"

#include "fixtures/scratch_directory.hpp"
#include "launcher/agent/job_of_step.hpp"
#include "launcher/channel/server.hpp"
#include "launcher/os/bounded_child.hpp"
#include "unit/launcher/agent/ranks/script.hpp"

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

namespace muster::agent {
namespace {

using namespace std::chrono_literals;

class LostHostTest : public testing::Test {
 protected:
  LostHostTest() {
    step_.step = "42.0";
    step_.node = "node2";
    // A connection to a broadcast address never succeeds.
    step_.supervisor = {
        .key = {}, .server = {.port = 9, .addresses = {"255.255.255.255"}}, .node = 1, .nodes = 2};
    step_.rules.lost_host.host = "node1";
    step_.rules.owners.anybody = true;
    step_.environment.set("PATH", scratch_.path());
    add_command("scontrol",
                "case $* in *'show job'*) cat job;; *'show node'*) cat node;; "
                "*'show step'*) cat steps; echo x >>asked;; *) echo scontrol $* >>called;; esac");
    add_command("scancel", "echo scancel $* >>called");
    scratch_.write("err", "");
    job("JobId=42 " + rest_of_job());
    scratch_.write("steps", "StepId=42.batch State=RUNNING\nStepId=42.0 State=RUNNING\n");
    scratch_.write("node", "NodeName=node1 State=ALLOCATED+NOT_RESPONDING Port=6818\n");
  }

  void add_command(const std::string& name, const std::string& body) {
    const auto file = scratch_.write(name, "#!/bin/sh\ncd " + scratch_.path() + "\n" + body + "\n");
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  }

  [[nodiscard]] std::string rest_of_job() const {
    return "JobState=RUNNING Requeue=1 Restarts=0 BatchFlag=1 NodeList=node[1-2] BatchHost=node1 "
           "StdErr=" +
           scratch_.path("err");
  }

  void job(const std::string& line) { scratch_.write("job", line + "\n"); }

  [[nodiscard]] std::string content(const std::string& name) const {
    std::ifstream file(scratch_.path(name));
    return {std::istreambuf_iterator<char>(file), {}};
  }

  // Waits until the child has ended.
  void end_job() {
    LostHost host(step_);
    host.fenced();
    host.finish();
  }

  const fixtures::ScratchDirectory scratch_;
  MonitoredStep step_;
};

TEST_F(LostHostTest, HasTheJobRequeuedAndItsUserTold) {
  end_job();
  EXPECT_EQ(content("called"), "scontrol requeue 42\n");
  EXPECT_EQ(content("err"),
            "muster: error: node2: node1, the batch script's node, no longer answers: the job goes "
            "back into the queue\n");
}

TEST_F(LostHostTest, HasTheJobCancelledWhereItMayNotBeRequeued) {
  step_.rules.lost_host.requeue = 0;
  end_job();
  EXPECT_EQ(content("called"), "scancel --quiet 42\n");
  EXPECT_NE(content("err").find("the job is cancelled"), std::string::npos);
}

// The number of one of an array's jobs is also that of the array.
TEST_F(LostHostTest, EndsOneJobOfAnArrayAlone) {
  job("JobId=41 ArrayJobId=42 ArrayTaskId=6 " + rest_of_job() + "\nJobId=42 ArrayJobId=42 " +
      "ArrayTaskId=7 " + rest_of_job());
  end_job();
  EXPECT_EQ(content("called"), "scontrol requeue 42_7\n");
}

TEST_F(LostHostTest, LeavesAJobThatHasEnded) {
  job("JobId=42 JobState=COMPLETING BatchFlag=1 NodeList=node[1-2] BatchHost=node1 Restarts=0");
  end_job();
  EXPECT_EQ(content("called"), "");
}

// A connection that fails from here would not show that slurmctld cannot reach the host either.
TEST_F(LostHostTest, LeavesAJobAloneWhoseNodesAreHiddenAsLongAsTheHostIsInIt) {
  scratch_.write("node", "slurm_load_node error: Access/permission denied\n");
  const auto ask = [this] {
    JobOfStep job(step_);
    const auto lost = [&] { return job.ask("node1")->host_lost ? "lost " : "there "; };
    std::string answers = lost();
    this->job("JobId=42 JobState=RUNNING Restarts=0 BatchFlag=1 NodeList=node2 BatchHost=node1");
    return answers + lost();
  };
  EXPECT_EQ(os::answer_of_child(ask, 20s), "there lost ");
}

// Slurm does not always end what an agent has started.
TEST_F(LostHostTest, StartsNoCommandsOfTheUsers) {
  const auto ask = [this] {
    JobOfStep(step_).ask("node1");
    return std::string("done");
  };
  EXPECT_EQ(os::answer_of_child(ask, 20s), "done");
  EXPECT_EQ(content("asked"), "x\n");
  step_.rules.owners = {};
  EXPECT_EQ(os::answer_of_child(ask, 20s), "done");
  EXPECT_EQ(content("asked"), "x\n");
}

TEST_F(LostHostTest, LeavesAJobWhoseHostAnswersThoughTheSupervisorHasGone) {
  step_.supervisor.server =
      channel::Server(secret::make_key(), std::nullopt, [](const auto&) {}).address();
  end_job();
  EXPECT_EQ(content("called"), "");
}

TEST_F(LostHostTest, HasSlurmTryTheHostThatItStillSees) {
  scratch_.write("node", "NodeName=node1 State=ALLOCATED Port=6818\n");
  LostHost host(step_);
  EXPECT_TRUE(host.fenced());
  ASSERT_TRUE(ranks::comes_true([&] { return !content("called").empty(); }));
  EXPECT_EQ(content("called"), "scancel --quiet --batch --signal=URG 42\n");
  scratch_.write("node", "NodeName=node1 State=ALLOCATED+NOT_RESPONDING Port=6818\n");
  host.finish();
  EXPECT_EQ(content("called"), "scancel --quiet --batch --signal=URG 42\nscontrol requeue 42\n");
}

TEST_F(LostHostTest, EndsNothingWhileItsNodeIsNotFenced) {
  step_.rules.heartbeat = 600s;
  {
    LostHost host(step_);
    host.suspect();
    ASSERT_TRUE(ranks::comes_true([&] { return content("asked") == "x\nx\n"; }));
    host.finish();  // its supervisor has been heard again, and the step has ended
  }
  EXPECT_EQ(content("called"), "");
}

TEST_F(LostHostTest, IsNoneWhereTheSupervisorIsElsewhere) {
  step_.rules.lost_host.host = "";
  LostHost host(step_);
  host.suspect();
  EXPECT_FALSE(host.fenced());
  host.finish();
  EXPECT_EQ(content("called"), "");
}

}  // namespace
}  // namespace muster::agent
