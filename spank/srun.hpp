// The shim inside srun: decides whether muster is wanted, then hands over to the supervisor.
#pragma once

#include "spank/option.hpp"
#include "spank/plugstack.hpp"
#include "spank/slurm_api.hpp"
#include "wire/variables.hpp"

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace muster::spank {

// What the decision needs to know about the process.
struct SrunProcess {
  std::vector<std::string> arguments;  // srun's, beginning with its own name
  std::string plugin_directory;        // Slurm's; empty if unknown
  std::string mpi_default;             // the site's MpiDefault; empty if unknown
  std::string executable;
  std::size_t program_index = 0;  // index of the user's program in `arguments`; 0 if unknown
  pid_t pid = 0;
  pid_t parent = 0;
  std::optional<std::string> supervisor_pid;     // MUSTER_SUPERVISOR
  std::optional<std::string> environment_value;  // MUSTER_DISTRIBUTED
};

SrunProcess this_process();

// A variable that is probably meant to be MUSTER_DISTRIBUTED, the only one that starts muster without the
// option; empty if there is none.
std::string misspelled_option_variable(char** environment);

// The command line that replaces srun; no value if srun continues unchanged.
std::optional<std::vector<std::string>> supervisor_command(const Option& option,
                                                           const Plugstack& line,
                                                           const SrunProcess& process);

// The next two are inline and close to the hooks: they are all that a step without muster pays for in srun,
// sbatch and salloc.

// Whether a component asks for muster, by the option or by the user's environment.
inline bool asks_for_muster(const Option& option) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): srun has no other thread yet
  return option.given() || std::getenv(wire::option_variable) != nullptr;
}

// Whether the step that was created has a supervisor's request.
inline bool has_request() {
  return std::getenv(wire::request_variable) != nullptr;  // NOLINT(concurrency-mt-unsafe): as above
}

// One srun and the step that it creates.
class Srun {
 public:
  // Called after the options of each component have been parsed; only a heterogeneous step has several.
  void component_parsed() { ++components_; }

  // Called for a component that asks for muster, after its options are parsed. Returns 0 to continue; does
  // not return if it hands over.
  int options_parsed(SlurmApi& slurm, const Option& option, const Plugstack& line);

  // For a step with a request: sends its layout to the nodes and to the supervisor once the step exists,
  // before any task is launched.
  int step_created(SlurmApi& slurm);

 private:
  std::string contradiction(const std::string& value);

  std::uint32_t components_ = 0;  // how many have been parsed so far
  bool supervised_ = false;
  std::optional<std::string> socket_;  // the supervisor's, until the supervisor has been told
  std::optional<std::string> value_;   // what the components asked for so far
};

}  // namespace muster::spank
