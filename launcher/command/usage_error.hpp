// A command line that muster does not understand: exit code 2.
#pragma once

#include "core/error.hpp"

namespace muster::command {

class UsageError : public Error {
 public:
  using Error::Error;
};

}  // namespace muster::command
