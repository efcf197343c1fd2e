// The address and port where the ranks of a step meet.
#pragma once

#include "core/origin.hpp"
#include "core/rendezvous/endpoint.hpp"

#include <string>

namespace muster::rendezvous {

struct Rendezvous {
  std::string address;
  Port port = 0;
  Origin port_origin = Origin::rendezvous;
};

}  // namespace muster::rendezvous
