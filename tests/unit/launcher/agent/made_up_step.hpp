// A step with one task on each of a few nodes, for tests of how an agent handles it.
#pragma once

#include "launcher/agent/context.hpp"

#include <string>
#include <utility>
#include <vector>

namespace muster::agent {

inline layout::Layout one_task_on_each(const std::vector<std::string>& nodes) {
  layout::Layout layout;
  layout.nodes = nodes;
  for (layout::NodeIndex node = 0; node < nodes.size(); ++node) layout.node_of_task.push_back(node);
  layout.first_address = "10.0.0.1";
  return layout;
}

inline StepContext made_up_step(const std::vector<std::string>& nodes, layout::NodeIndex here,
                                const Environment& environment = {}) {
  wire::StepFacts facts;
  facts.job_id = 42;
  facts.node_index = here;
  facts.global_ids = {here};
  facts.arguments = {"/bin/true"};
  return {.facts = std::move(facts),
          .environment = environment,
          .site = site::Site({.config = {}, .trust_any_owner = true}, environment, false),
          .attempt = {.request = {}},
          .layout = one_task_on_each(nodes),
          .node = here,
          .name = {"blue", 42, 0, 0},
          .port_sources = {},
          .ports = {{20001}, Origin::rendezvous, "port_range"},
          .objection = {}};
}

}  // namespace muster::agent
