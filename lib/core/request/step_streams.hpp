// Keys that were set for a whole job, on an srun line whose streams they do not fit. Pure.
#pragma once

#include "core/request/request.hpp"
#include "core/srun/command.hpp"

#include <string>

namespace muster::request {

// Where a step's input and output go.
struct StepStreams {
  bool interactive = false;  // --pty
  std::string elsewhere =
      {};              // the option or variable of srun that sends the output to files; empty: none
  bool piped = false;  // srun's standard output is a pipe: another program reads it
};

struct AdaptedRequest {
  Request request;
  std::string line = {};  // for the user: what this step does without; empty if nothing
};

// `request` without the keys that a shell on a terminal must not have, without logs= if srun itself sends the
// output elsewhere, and with the output of all ranks for the reader of a pipe. Keys on the line itself are
// kept, and so are values that the site's policy does not allow to change.
AdaptedRequest adapt_to_streams(Request request, const StepStreams& streams,
                                const srun::Command& command, const option::Policy& policy);

}  // namespace muster::request
