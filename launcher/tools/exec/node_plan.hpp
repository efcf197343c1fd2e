// The plan of one node, made by one of its tasks: does what the agent does at a site with the plugin, from
// what the tasks themselves can see.
#pragma once

#include "core/plan/step_plan.hpp"
#include "launcher/tools/exec/exchange.hpp"
#include "launcher/tools/exec/task_facts.hpp"
#include "launcher/tools/exec/task_report.hpp"

#include <vector>

namespace muster::request {
struct Request;
}

namespace muster::site {
struct Config;
class Site;
}  // namespace muster::site

namespace muster::exec {

struct NodeFacts {
  const site::Site& site;
  const request::Request& request;
  const TaskFacts& task;                   // about the task that makes the plan
  const Environment& environment;          // the job's, as its user sees it
  const std::vector<TaskReport>& reports;  // by local ID
};

// Every node uses the first one, because another one could not be announced to the other nodes.
rendezvous::PortCandidates ports_of(const Environment& environment, const request::Request& request,
                                    const site::Config& config, const rendezvous::StepName& step);

// Throws Error for a request that needs a supervisor.
void check_without_supervisor(const request::Request& request);

struct PlannedNode {
  plan::StepPlan plan;  // this node's part
  Exchange exchange;
};

// Throws Error if something is missing; rank 0's task already holds the ports.
PlannedNode node_plan(const NodeFacts& facts);

}  // namespace muster::exec
