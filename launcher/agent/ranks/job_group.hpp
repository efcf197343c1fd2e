// The control group that Slurm makes for a job: the parent of its steps' groups. Slurm names it "job_42", but
// cgroup/v2 of Slurm 26.05 and newer names it by the job's SLUID ("sEKNKTV3WPV500") unless cgroup.conf sets
// CgroupJobIdPaths. Pure.
#pragma once

#include <string_view>

namespace muster::ranks {

// The path of the job's group, from the path of a group in it; empty if that is no group of a job.
std::string_view job_group_of(std::string_view path);

// Its name, from the first line of /proc/PID/cgroup that has one; empty if none has.
std::string_view job_group_name(std::string_view cgroup_file);

}  // namespace muster::ranks
