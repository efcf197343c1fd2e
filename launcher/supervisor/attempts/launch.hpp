// What all attempts of one srun have in common.
#pragma once

#include "core/group_number.hpp"
#include "core/restart/handover.hpp"
#include "core/restart/renewed.hpp"
#include "core/srun/command.hpp"
#include "core/srun/node_share.hpp"
#include "launcher/site/site.hpp"
#include "launcher/supervisor/supervision/plan_view.hpp"
#include "launcher/supervisor/supervision/supervision.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace muster::report {
struct Report;
}

namespace muster::request {
struct Request;
}

namespace muster::attempts {

class NodePool;

// With groups=: which of them this is, and what it shares with the others.
struct Membership {
  GroupNumber group;
  std::uint32_t nodes = 1;  // of each group
  std::uint32_t tasks_per_node = 1;
  std::optional<srun::NodeShare> share = {};  // each group has only a part of a node
  NodePool& pool;
  std::uint16_t lighthouse_port = 0;  // as in StepRequest
  // Takes the report instead of the user.
  std::function<void(const report::Report&)> take_report;
};

struct Launch {
  const site::Site& site;
  const request::Request& request;
  srun::Command command;  // as the user typed it
  supervision::PlanStyle plan_style;
  supervision::SupervisionPolicy policy;
  bool pmix = false;             // srun starts its PMIx server
  site::SiteOptions files = {};  // for a step that muster runs itself: the site's
  // In a successor: what the supervisor has handed over.
  std::optional<restart::Handover> inherited = {};
  // After an upgrade: what the replaced version has left.
  std::optional<restart::Renewed> renewed = {};
  // What is probably wrong with the command. A failure report ends with it; may be empty.
  std::string doubt = {};
  std::optional<Membership> membership = {};
  // Without Slurm: starts that attempt's ranks on this machine, in a child process instead of srun, and
  // returns the exit code.
  std::function<int(std::uint32_t attempt)> start_ranks = {};

  // The exit code for every failure. No value: exit= decides.
  std::optional<std::int32_t> code_of_any_failure = {};

  [[nodiscard]] bool has_slurm() const { return !start_ranks; }
};

}  // namespace muster::attempts
