// This node's plan, made from what the agents have agreed on, together with everything that must live as long
// as the plan: ports, and the directory for error files.
#pragma once

#include "core/plan/node_plan.hpp"
#include "core/plan/oversized_variables.hpp"
#include "launcher/agent/agreement.hpp"
#include "launcher/agent/context.hpp"
#include "launcher/agent/error_directory.hpp"
#include "launcher/agent/port/held_port.hpp"
#include "launcher/channel/step/exchange_variables.hpp"
#include "launcher/os/descriptor.hpp"

#include <memory>
#include <string>
#include <vector>

namespace muster::agent {

struct PlannedNode {
  plan::NodePlan plan;
  std::string profile;
  rendezvous::Rendezvous rendezvous;
  step::ExchangePlace exchange;        // for the worker library
  std::vector<plan::ValueFile> files;  // already written
  HeldPorts ports = {};
  bool tasks_know_port = false;  // the port where the ranks may rendezvous
  os::Descriptor store{};        // listens there, if this agent serves torch's store
  std::vector<port::HeldPort> task_ports = {};
  std::unique_ptr<ErrorDirectory> errors = {};
  MeetingTimes times = {};
};

PlannedNode plan_node(const StepContext& context, Agreement agreement);

}  // namespace muster::agent
