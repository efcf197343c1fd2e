#include "spank/sbatch.hpp"

#include "spank/muster_command.hpp"
#include "spank/process.hpp"
#include "wire/variables.hpp"

#include <cstdlib>

namespace muster::spank {

int submission_options_parsed(SlurmApi& slurm, const Option& option, const Plugstack& line) {
  const auto environment_value = variable(wire::option_variable);
  const auto value = option.wanted(environment_value ? environment_value->c_str() : nullptr);
  if (!value) return 0;
  if (const auto why = unusable(line); !why.empty()) {
    slurm.error("muster: " + why);
    return -1;
  }
  const auto outcome = run(muster_command(line, "check", *value), check_timeout);
  if (outcome == wire::check_good) return 0;
  if (outcome == wire::check_help_shown) std::exit(0);  // NOLINT(concurrency-mt-unsafe)
  if (!outcome) slurm.error("muster: " + line.muster + " check could not run or took over 10 s");
  return -1;
}

}  // namespace muster::spank
