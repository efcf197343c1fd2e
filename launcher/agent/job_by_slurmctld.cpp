#include "launcher/agent/job_by_slurmctld.hpp"

#include "core/error.hpp"
#include "core/text/list.hpp"
#include "launcher/agent/slurm_command.hpp"
#include "launcher/os/command_output.hpp"

#include <vector>

#include <fmt/format.h>

namespace muster::agent {

std::optional<SignedJob> signed_job(std::string_view output, std::uint32_t job) {
  const auto number = fmt::to_string(job);
  for (const auto line : text::split(output, '\n')) {
    const auto words = text::split(line, ' ');
    if (words.size() != 3 || words[0] != number || words[1].empty() || words[2].empty()) continue;
    return SignedJob{std::string(words[1]), words[2] == "(null)" ? "" : std::string(words[2])};
  }
  return std::nullopt;
}

std::optional<SignedJob> job_by_slurmctld(std::uint32_t job, const Environment& environment,
                                          const SlurmOwners& owners,
                                          std::chrono::milliseconds timeout) {
  const auto squeue = find_slurm_command("squeue", environment, owners);
  if (squeue.path.empty()) throw Error(squeue.why);
  // Neither field contains text of the user's choosing, whereas scontrol's line contains the job's name.
  std::vector<std::string> command{"/usr/bin/env", "-i"};
  for (auto& variable : slurm_environment(environment, owners))
    command.push_back(std::move(variable));
  // Without --local, squeue asks for the federation first, and the site may limit each user's query rate.
  command.insert(command.end(), {squeue.path.string(), "--local", "--noheader",
                                 fmt::format("--jobs={}", job), "--format=%A %P %a"});
  const auto result = os::run_command(command, {.timeout = timeout});
  return result.succeeded ? signed_job(result.output, job) : std::nullopt;
}

}  // namespace muster::agent
