#include "launcher/slurm/own_environment.hpp"

#include "core/slurm/releases.hpp"
#include "core/slurm/step_title.hpp"
#include "core/text/list.hpp"
#include "core/text/number.hpp"
#include "launcher/os/small_file.hpp"
#include "launcher/site/site.hpp"

#include <string>
#include <utility>

#include <sys/types.h>

namespace muster::slurm {
namespace {

std::string parent_of(const std::filesystem::path& process) {
  constexpr std::string_view field = "PPid:\t";
  const auto status = os::small_file(process / "status", 4096);
  for (const auto line : text::split(status, '\n')) {
    if (line.starts_with(field)) return std::string(line.substr(field.size()));
  }
  return {};
}

}  // namespace

Environment own_environment() {
  return without_step_of_another_job(site::current_environment(), "/proc");
}

Environment without_step_of_another_job(Environment environment,
                                        const std::filesystem::path& proc) {
  const auto& task = environment.get("SLURM_TASK_PID");
  if (is_batch_script(environment) || !text::number<pid_t>(task)) return environment;
  const auto parent = parent_of(proc / task);
  if (parent.empty()) return environment;
  const auto title = os::small_file(proc / parent / "cmdline", 4096);
  if (manages_batch_script(title, environment.get("SLURM_JOB_ID"))) {
    environment.unset("SLURM_STEP_ID");
  }
  return environment;
}

}  // namespace muster::slurm
