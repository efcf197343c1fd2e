// The one error type inside the worker library: what muster_last_error() will say, and the status.
// Thrown anywhere inside, caught in abi.cpp only: nothing leaves the library by an exception.
#pragma once

#include "muster/muster.h"

#include <stdexcept>
#include <string>

namespace muster::worker {

class Error : public std::runtime_error {
 public:
  Error(muster_status status, const std::string& line)
      : std::runtime_error(line), status_(status) {}
  muster_status status() const { return status_; }

 private:
  muster_status status_;
};

}  // namespace muster::worker
