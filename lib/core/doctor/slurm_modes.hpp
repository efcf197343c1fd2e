// The modes in which a site runs Slurm, from its configuration: those that docs/admin/slurm-modes.md
// describes. Pure.
#pragma once

#include "core/doctor/facts.hpp"

#include <string>
#include <vector>

namespace muster::doctor {

// In Slurm's own words: "enable_stepmgr", "auth/slurm", "topology/block". Empty without an answer from
// slurmctld.
std::vector<std::string> slurm_modes(const Facts& facts);

}  // namespace muster::doctor
