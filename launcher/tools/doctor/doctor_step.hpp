// The short step in which the nodes report their facts.
#pragma once

#include "core/doctor/diagnosis.hpp"
#include "core/environment.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace muster::doctor {

struct StepOrder {
  std::string job = {};                 // empty: srun gets an allocation of its own
  std::vector<std::string> nodes = {};  // the job's
  std::vector<std::string> srun_options = {};
  std::chrono::milliseconds timeout{30'000};
  std::string srun = "srun";
  std::string program = {};  // the path of muster, the same on every node
};

// The command of that step; `facts` are the submit host's. Pure.
std::vector<std::string> step_command(const StepOrder& order, const Facts& facts,
                                      const Environment& environment);

// Runs it, and adds the nodes to the examination.
void examine_nodes(const StepOrder& order, const Environment& environment,
                   Examination& examination);

// Adds what the step printed. Pure.
void take_answers(const StepOrder& order, std::string_view output, Examination& examination);

}  // namespace muster::doctor
