// What all attempts of an srun have in common.
#pragma once

#include "launcher/site/site.hpp"
#include "launcher/successor/inheritance.hpp"
#include "launcher/supervise/plan_view.hpp"
#include "launcher/supervise/srun_command.hpp"
#include "launcher/supervise/supervision.hpp"

#include <optional>

namespace muster::request {
struct Request;
}

namespace muster::attempts {

struct Launch {
  const site::Site& site;
  const request::Request& request;
  supervise::SrunCommand command;  // as the user typed it
  supervise::PlanStyle plan_style;
  supervise::SupervisionPolicy policy;
  bool pmix = false;  // srun is to start its PMIx server
  // What the supervisor has left whose successor this one is.
  std::optional<successor::Inheritance> inherited = {};
};

}  // namespace muster::attempts
