// A step without Slurm: its ranks run on this machine, and `muster run` starts them itself.
#pragma once

#include "core/environment.hpp"
#include "launcher/site/site.hpp"
#include "wire/messages.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace muster::local {

struct Step {
  site::SiteOptions site;
  std::uint32_t number = 0;  // in place of a job number: no other run on this machine has it
  std::uint32_t attempt = 0;
  std::uint32_t ranks = 1;
  std::vector<std::string> command = {};  // the program and its arguments
};

// For Step::number; random, so that two runs share neither a port nor a directory. Throws Error.
std::uint32_t new_number();

// `environment` without the variables of an allocation that describe another step.
Environment without_slurm(Environment environment);

// What the agent needs to know. `environment`: this process's.
wire::StepFacts facts_of(const Step& step, const Environment& environment, const std::string& host,
                         const std::string& directory);

}  // namespace muster::local
