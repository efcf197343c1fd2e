// One node's share of a step, from the shim's question to the last task's exit.
#pragma once

#include "launcher/affinity_watch/watch.hpp"
#include "launcher/site/site.hpp"
#include "wire/messages.hpp"

#include <chrono>
#include <memory>

namespace muster::agent {

class Step {
 public:
  Step(wire::StepFacts facts, const SiteOptions& site);
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;
  ~Step();

  // The plan, after every node of the step has agreed to go on. Throws Error with the line for the
  // user; Silent when another node has told it.
  wire::NodePlan plan();

  // After the plan: who looks after the tasks' binding. Nobody unless the user said verbose.
  RebindingWatch* watch();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The step cannot go on, and the user knows why already.
class Silent {};

}  // namespace muster::agent
