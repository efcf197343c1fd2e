// Keys that were set for a whole job: by sbatch, salloc, a variable or a file. They are meant for the job's
// training, but they reach every srun of the job. Pure.
#pragma once

#include "core/option/key.hpp"
#include "core/srun/command.hpp"

#include <string>

namespace muster::option {
struct Policy;
}

namespace muster::request {

struct Request;

// Whether the user set the key on this srun's own line.
bool is_on_line(const Request& request, option::Key key, const srun::Command& command);

// Sets a key for this step only, and says where the value comes from. False, with nothing changed, if the key
// already has that value or if the site's policy does not allow it.
bool set_for_step(Request& request, option::Key key, const std::string& value,
                  const std::string& where, const option::Policy& policy);

}  // namespace muster::request
