// What is known about a step before anything is done for it: read once, never changed.
#pragma once

#include "core/environment.hpp"
#include "core/layout/layout.hpp"
#include "core/rendezvous/port_candidates.hpp"
#include "launcher/channel/client.hpp"
#include "launcher/channel/step/step_request.hpp"
#include "launcher/site/site.hpp"
#include "wire/messages.hpp"

#include <chrono>
#include <string>

namespace muster::agent {

struct StepContext {
  using Clock = std::chrono::steady_clock;

  wire::StepFacts facts;
  Environment environment;  // the job's as its user knows it, with srun's --hint
  site::Site site;
  step::StepRequest attempt;  // its request: with the site's values and --hint
  layout::Layout layout;
  layout::NodeIndex node = 0;  // this one
  rendezvous::StepName name;
  rendezvous::PortSources port_sources;
  rendezvous::PortCandidates ports;
  std::string objection;         // of this node's file or its policy; one node tells it for all
  Clock::time_point begun = {};  // when this agent had heard of the step

  [[nodiscard]] const request::Request& request() const { return attempt.request; }
  [[nodiscard]] const std::string& node_name() const { return layout.nodes[node]; }

  // The ranks meet on this node.
  [[nodiscard]] bool is_leader() const { return layout.node_of_task.front() == node; }
  [[nodiscard]] bool is_alone() const { return node_count(layout) == 1; }

  // There are other agents, and a key by which they recognise this one.
  [[nodiscard]] bool can_meet_others() const;

  // Somebody has chosen the rendezvous port by hand, or a range for it.
  [[nodiscard]] bool has_chosen_port() const;

  [[nodiscard]] channel::Client supervisor() const;

  // How long the other nodes are waited for, counted from now.
  [[nodiscard]] Clock::time_point deadline() const;
};

// Throws Error for facts that fit no step.
StepContext read_context(wire::StepFacts facts, const site::SiteOptions& options);

}  // namespace muster::agent
