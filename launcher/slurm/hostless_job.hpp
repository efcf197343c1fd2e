// A job whose supervisor's host is silent, as scontrol shows it and scancel makes slurmctld look at it.
#pragma once

#include "core/restart/lost_host.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace muster::slurm {

struct FoundJob {
  restart::HostlessJob job;
  std::string name;  // as commands must be given it: one of an array's, "42_7"
  std::string output_file;
  std::string error_file;
};

inline constexpr std::chrono::milliseconds time_to_find_job{2000};

// `job` is its number, `host` the supervisor's. Up to four calls of scontrol, of `timeout` each; nothing
// where slurmctld has not answered the first.
std::optional<FoundJob> ask_hostless_job(const std::string& job, const std::string& host,
                                         std::chrono::milliseconds timeout = time_to_find_job);

// What Slurm calls the job in the names of its steps: "42_7" for a task of an array. Its number where
// slurmctld does not answer.
std::string ask_task_name(const std::string& job);

// The steps of this job alone that slurmctld knows, "42.0". `task`: its ask_task_name().
std::vector<std::string> running_steps(const std::string& job, const std::string& task);

// slurmctld pings a node once in some minutes: this makes it try the host now, by a signal that programs
// ignore by default. To the batch script of the job, or to the step of the supervisor.
void have_host_tried(const std::string& name, const std::string& step);

}  // namespace muster::slurm
