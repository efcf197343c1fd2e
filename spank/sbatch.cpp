#include "spank/sbatch.hpp"

#include "spank/muster_command.hpp"
#include "spank/process.hpp"
#include "wire/variables.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include <getopt.h>

namespace muster::spank {
namespace {

// Where the options of sbatch or salloc end: getopt_long has just run in this process. It restarts its
// count at each ':', which separates the components of a heterogeneous job.
std::size_t program_index(const std::vector<std::string>& arguments) {
  const bool counts_all = std::find(arguments.begin(), arguments.end(), ":") == arguments.end();
  return counts_all && optind > 0 ? static_cast<std::size_t>(optind) : 0;
}

}  // namespace

int submission_options_parsed(SlurmApi& slurm, const Option& option, const Plugstack& line) {
  const auto environment_value = variable(wire::option_variable);
  const auto value = option.wanted(environment_value ? environment_value->c_str() : nullptr);
  if (!value) return 0;
  if (const auto why = unusable(line); !why.empty()) {
    slurm.error("muster: " + why);
    return -1;
  }
  auto command = muster_command(line, "check", *value);
  const auto arguments = own_arguments();
  add_arguments(command, arguments.empty() ? "sbatch" : arguments.front(), arguments,
                program_index(arguments));
  const auto outcome = run(command, check_timeout);
  if (outcome == wire::check_good) return 0;
  if (outcome == wire::check_help_shown) std::exit(0);  // NOLINT(concurrency-mt-unsafe)
  if (!outcome)
    slurm.error("muster: " + line.muster + " check could not run or took more than 10 s");
  return -1;
}

}  // namespace muster::spank
