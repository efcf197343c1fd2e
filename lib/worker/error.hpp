// The only error type of the worker library: a status, and the line that muster_last_error() returns.
// Thrown anywhere inside and caught only in abi/: no exception leaves the library.
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
