// What is known about a step before any work starts: read once, never changed.
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
  Environment environment;  // the job's, as its user sees it, with srun's --hint
  site::Site site;
  step::StepRequest attempt;  // its request, with the site's values and --hint
  layout::Layout layout;
  layout::NodeIndex node = 0;  // this one
  rendezvous::StepName name;
  rendezvous::PortSources port_sources;
  rendezvous::PortCandidates ports;
  std::string objection;  // why this node's file or policy refuses it; one node reports it for all
  Clock::time_point begun = {};  // when this agent learned of the step

  [[nodiscard]] const request::Request& request() const { return attempt.request; }
  [[nodiscard]] const std::string& node_name() const { return layout.nodes[node]; }

  // The ranks rendezvous on this node.
  [[nodiscard]] bool is_leader() const { return layout.node_of_task.front() == node; }
  [[nodiscard]] bool is_alone() const { return node_count(layout) == 1; }

  // There are other agents, and a key by which they can recognise this one.
  [[nodiscard]] bool can_meet_others() const;

  // The rendezvous port, or a range for it, has been chosen by hand.
  [[nodiscard]] bool has_chosen_port() const;

  [[nodiscard]] channel::Client supervisor() const;

  // Until when to wait for the other nodes, counted from now.
  [[nodiscard]] Clock::time_point deadline() const;
};

// Throws Error if the facts do not fit any step.
StepContext read_context(wire::StepFacts facts, const site::SiteOptions& options);

}  // namespace muster::agent
