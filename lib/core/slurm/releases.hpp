// The releases of Slurm that muster knows, and all places that depend on the release. To support a new one,
// add it here and check each of these:
//
//   srun's line    core/srun/options.cpp (options by release), core/srun/cpus_per_task.hpp
//   outputs        core/slurm/{job,node,config,switches}.hpp, launcher/slurm/complete_job.cpp
//   batch scripts  is_batch_script() below, core/slurm/step_title.hpp, launcher/slurm/own_environment.hpp;
//                  lib/worker/transport_choice.cpp, which sees no core header
//   the plugin     spank/spank_handle.cpp, spank/slurmctld.cpp, spank/plugin.cpp
//   doctor         core/doctor/slurm_checks.cpp
//   packages       packaging/Packaging.cmake, scripts/suite
//   tests          tests/live/releases.py
#pragma once

#include "core/environment.hpp"

#include <array>

namespace muster::slurm {

// 2205 is 22.05.
constexpr std::array releases{2205, 2302, 2311, 2405, 2411, 2505, 2511, 2605};
constexpr int oldest_release = releases.front();
constexpr int newest_release = releases.back();

// In a job: this process belongs to its batch script, not to a step that srun started. Slurm 26.05 gives the
// script a step number; earlier releases do not.
inline bool is_batch_script(const Environment& environment) {
  const auto& step = environment.get("SLURM_STEP_ID");
  return step.empty() || step == "-5";
}

}  // namespace muster::slurm
