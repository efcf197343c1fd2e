// The program on srun's command line, as far as the submit host can judge it.
#pragma once

#include "core/environment.hpp"
#include "core/srun/command.hpp"

#include <span>
#include <string>

namespace muster::supervision {

// True if the program runs in a container or in another directory, or is one of several. Its name then means
// nothing here, and perhaps nothing on the nodes either: an option of another SPANK plugin, given to this
// srun or to its job, may change the file system that a task sees. srun and pyxis read options from
// variables, too.
bool program_elsewhere(const srun::Command& command, const Environment& environment);

struct ProgramFault {
  std::string why;         // empty: no fault can be seen from here
  bool is_certain = true;  // false: another plugin may provide the program

  friend bool operator==(const ProgramFault&, const ProgramFault&) = default;
};

// Why the program cannot be started, determined before anything is allocated. Three cases are judged: a path
// relative to this directory, in which the job starts; a name that exists only in this directory; and the
// value of a --distributed without '='.
ProgramFault program_fault(const srun::Command& command, const Environment& environment,
                           std::span<const std::string> profiles);

}  // namespace muster::supervision
