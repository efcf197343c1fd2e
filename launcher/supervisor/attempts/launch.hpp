// What all attempts of an srun have in common.
#pragma once

#include "core/srun/command.hpp"
#include "launcher/site/site.hpp"
#include "launcher/supervisor/successor/inheritance.hpp"
#include "launcher/supervisor/supervision/plan_view.hpp"
#include "launcher/supervisor/supervision/supervision.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace muster::request {
struct Request;
}

namespace muster::attempts {

struct Launch {
  const site::Site& site;
  const request::Request& request;
  srun::Command command;  // as the user typed it
  supervision::PlanStyle plan_style;
  supervision::SupervisionPolicy policy;
  bool pmix = false;             // srun is to start its PMIx server
  site::SiteOptions files = {};  // the site's, for a step of muster's own
  // What the supervisor has left whose successor this one is.
  std::optional<successor::Inheritance> inherited = {};
  // What is probably wrong with the command: the report of a failure ends with it.
  std::string doubt = {};
  // Without Slurm: starts that attempt's ranks on this machine, in a child in srun's place, and returns its
  // exit code.
  std::function<int(std::uint32_t attempt)> start_ranks = {};

  // Without one, as exit= says.
  std::optional<std::int32_t> code_of_any_failure = {};

  [[nodiscard]] bool has_slurm() const { return !start_ranks; }
};

}  // namespace muster::attempts
