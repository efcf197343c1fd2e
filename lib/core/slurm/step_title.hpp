// The command line of the slurmstepd that manages a step, which names the step: "slurmstepd: [42.batch]".
#pragma once

#include <string>
#include <string_view>

namespace muster::slurm {

// Whether it manages the batch script of that job.
inline bool manages_batch_script(std::string_view title, std::string_view job) {
  const auto begin = "slurmstepd: [" + std::string(job) + ".batch";
  // More may follow: " stepmgr", or the component of a heterogeneous job.
  constexpr std::string_view after = "] +";
  return title.starts_with(begin) && title.size() > begin.size() &&
         after.find(title[begin.size()]) != std::string_view::npos;
}

}  // namespace muster::slurm
