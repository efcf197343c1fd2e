#include "launcher/supervisor/supervision/logs.hpp"

#include "core/error.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::supervision {
namespace {

srun::Command srun_of(std::vector<std::string> options) {
  options.insert(options.begin(), "srun");
  const auto program = options.size();
  options.insert(options.end(), {"bin/train", "-o", "x"});
  return {options, program};
}

std::string refusal(const std::vector<std::string>& options, const Environment& environment = {}) {
  request::Request request;
  request.logs = "logs";
  try {
    check_logs(request, srun_of(options), environment);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(LogsBesideSrunsOptions, AreRefusedWhereSrunSendsTheOutputElsewhere) {
  EXPECT_EQ(refusal({"-lo", "out"}),
            "logs= and srun's --output both say where the output goes; leave one of them out");
  EXPECT_NE(refusal({"--err=x"}).find("srun's --error both"), std::string::npos);
  EXPECT_NE(refusal({}, {{"SLURM_STDOUTMODE", "x"}}).find("srun's SLURM_STDOUTMODE both"),
            std::string::npos);
  EXPECT_NE(refusal({}, {{"SRUN_ERROR", "x"}}).find("srun's SRUN_ERROR both"), std::string::npos);
  EXPECT_NE(refusal({"--pty"}).find("--pty"), std::string::npos);
}

TEST(LogsBesideSrunsOptions, AreNotRefusedByAnotherOptionsValue) {
  EXPECT_EQ(refusal({"--comment", "-o", "-J", "--pty", "-l"}), "");
}

TEST(NameOfRun, HasTheJobsNameAsSrunReadsIt) {
  const auto name = [](const std::vector<std::string>& options, const Environment& environment) {
    return name_of_run(srun_of(options), environment).job.name;
  };
  EXPECT_EQ(name({"-lJnight"}, {}), "night");
  EXPECT_EQ(name({"--job-n", "-t5"}, {{"SLURM_JOB_NAME", "day"}}), "-t5");
  EXPECT_EQ(name({}, {{"SLURM_JOB_NAME", "day"}}), "day");
  EXPECT_EQ(name({"--comment", "-Jx"}, {}), "train");
}

TEST(NameOfRun, HasTheJobThatTheLineNames) {
  const Environment script{
      {"SLURM_JOB_ID", "4700"}, {"SLURM_ARRAY_JOB_ID", "4699"}, {"SLURM_ARRAY_TASK_ID", "3"}};
  const auto other = name_of_run(srun_of({"--jobid=4711"}), script).job;
  EXPECT_EQ(other.number, "4711");
  EXPECT_EQ(other.array + other.array_task, "");
  const auto own = name_of_run(srun_of({}), script).job;
  EXPECT_EQ(own.number, "4700");
  EXPECT_EQ(own.array_task, "3");
}

}  // namespace
}  // namespace muster::supervision
