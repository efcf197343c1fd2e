// Slurm, PMIx, and what a shell hands down to a job.
#include "core/doctor/check.hpp"
#include "core/slurm/own_step.hpp"
#include "core/text/list.hpp"
#include "core/text/number.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace muster::doctor {
namespace {

using Range = std::pair<unsigned, unsigned>;

constexpr unsigned few_ports = 60;

// From "60001-63000", or from "ports=20000-29999" among other words.
std::optional<Range> range_of(std::string_view text) {
  if (const auto at = text.find("ports="); at != std::string_view::npos) text.remove_prefix(at + 6);
  text = text.substr(0, text.find_first_of(", "));
  const auto dash = text.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto first = text::number<unsigned>(text.substr(0, dash));
  const auto last = text::number<unsigned>(text.substr(dash + 1));
  if (!first || !last) return std::nullopt;
  return Range{*first, *last};
}

Verdict controller(const Facts& facts) {
  if (!facts.has("controller")) return std::nullopt;
  return error_if(facts.text("controller") != "answers",
                  "scontrol show config: " + facts.text("controller"));
}

Verdict hidden_nodes(const Facts& facts) {
  if (!facts.has("slurm.PrivateData")) return std::nullopt;
  const auto text = facts.text("slurm.PrivateData");
  return warning_if(std::ranges::count(text::split(text, ','), std::string_view("nodes")) > 0,
                    "PrivateData=" + text);
}

Verdict commands(const Facts& facts) {
  if (!facts.has("slurm.commands")) return std::nullopt;
  const auto text = facts.text("slurm.commands");
  return warning_if(text != "usable", "squeue, scontrol, scancel: " + text);
}

// 24.11 for 24.11.5: Slurm loads no plugin of any other release.
std::string release_of(std::string_view version) {
  const auto minor = version.find('.');
  if (minor == std::string_view::npos) return {};
  return std::string(version.substr(0, version.find('.', minor + 1)));
}

Verdict plugin(const Facts& facts) {
  if (!facts.has("plugin.line")) return std::nullopt;
  const auto line = facts.text("plugin.line");
  if (line.empty())
    return warning(fmt::format("{} does not load muster.so", facts.text("plugin.plugstack")));
  if (!facts.has("plugin.hash")) return error_if(true, line + " cannot be read");
  const auto machine = facts.text("machine");
  if (const auto other = facts.text("plugin.machine");
      !machine.empty() && !other.empty() && other != machine)
    return error_if(true, fmt::format("{} is for {}, but this host is {}", line, other, machine));
  const auto slurm = release_of(facts.text("release"));
  const auto wanted = release_of(facts.text("plugin.release"));
  return error_if(
      !slurm.empty() && !wanted.empty() && slurm != wanted,
      wanted.empty() || slurm == wanted
          ? line
          : fmt::format("{} is for Slurm {}, but this host has {}", line, wanted, slurm));
}

Verdict pmix_plugin(const Facts& facts) {
  if (!facts.text("slurm.MpiDefault").starts_with("pmix") || !facts.has("pmix.plugin"))
    return std::nullopt;
  return error_if(
      facts.text("pmix.plugin") == "no",
      fmt::format("MpiDefault={}, mpi_pmix*.so in {}: {}", facts.text("slurm.MpiDefault"),
                  facts.text("slurm.PluginDir"), facts.text("pmix.plugin")));
}

Verdict pmix_library(const Facts& facts) {
  if (!facts.has("pmix.library")) return std::nullopt;
  const auto found = facts.text("pmix.library");
  return error_if(found == "missing",
                  found == "missing" ? "mpi_pmix*.so is installed, but no libpmix.so can be loaded"
                                     : "libpmix " + found);
}

// From "OpenPMIx 4.2.2".
std::string_view major_of(std::string_view version) {
  version.remove_prefix(std::min(version.find_first_of("0123456789"), version.size()));
  return version.substr(0, version.find('.'));
}

Verdict pmix_path(const Facts& facts) {
  if (!facts.has("env.LD_LIBRARY_PATH") || !facts.has("library_path")) return std::nullopt;
  if (!facts.has("pmix.in_path")) return ok("LD_LIBRARY_PATH has no libpmix.so");
  const auto slurms = facts.text("pmix.library");
  if (slurms == "missing") return std::nullopt;  // that case has a row of its own
  const auto own = facts.text("pmix.path_version");
  const auto evidence =
      fmt::format("{}/libpmix.so*: {}; Slurm's: {}", facts.text("pmix.in_path"),
                  own.empty() ? "cannot be loaded" : own, slurms.empty() ? "not known" : slurms);
  if (slurms.empty()) return cannot_see(evidence);
  return warning_if(own.empty() || major_of(own) != major_of(slurms), evidence);
}

Verdict srun_ports(const Facts& facts) {
  const auto text = facts.text("slurm.SrunPortRange");
  const auto range = range_of(text);
  // Slurm reports 0-0 if no range is set.
  if (!range || range->first == 0 || range->second < range->first) return std::nullopt;
  return warning_if(range->second - range->first + 1 < few_ports, "SrunPortRange=" + text);
}

Verdict port_ranges(const Facts& facts) {
  const auto mpi = range_of(facts.text("slurm.MpiParams"));
  const auto system = range_of(facts.text("sysctl.ports"));
  if (!mpi || !system) return std::nullopt;
  return warning_if(mpi->first <= system->second && system->first <= mpi->second,
                    fmt::format("MpiParams={}, net.ipv4.ip_local_port_range={}",
                                facts.text("slurm.MpiParams"), facts.text("sysctl.ports")));
}

Verdict inherited_step(const Facts& facts) {
  const auto step = facts.number("env.SLURM_STEP_ID");
  const bool inside = step && *step < slurm::first_special_step;
  return warning_if(inside, inside ? fmt::format("this shell runs in step {}.{}",
                                                 facts.text("env.SLURM_JOB_ID"), *step)
                                   : "this shell does not run inside a step");
}

Verdict cpus_per_task(const Facts& facts) {
  const auto release = facts.text("release");
  if (!facts.has("env.SLURM_CPUS_PER_TASK") || release < "22.05" || release >= "23.11")
    return std::nullopt;
  return warning_if(
      !facts.has("env.SRUN_CPUS_PER_TASK"),
      fmt::format("Slurm {}, SLURM_CPUS_PER_TASK={}, SRUN_CPUS_PER_TASK={}", release,
                  facts.text("env.SLURM_CPUS_PER_TASK"), facts.text("env.SRUN_CPUS_PER_TASK")));
}

Verdict task_affinity(const Facts& facts) {
  if (!facts.has("slurm.TaskPlugin")) return std::nullopt;
  const auto plugins = facts.text("slurm.TaskPlugin");
  return warning_if(plugins.find("affinity") == std::string::npos, "TaskPlugin=" + plugins);
}

// A socket that was moved is detected elsewhere; this check is for containers. They seldom have Slurm's
// commands, but the PMIx server tells each task of a step how to authenticate.
Verdict munge(const Facts& facts) {
  const auto modes = facts.text("env.PMIX_SECURITY_MODE");
  if (facts.has("munge.socket") && modes.find("munge") != std::string::npos) {
    const bool excluded = facts.text("env.PMIX_MCA_psec").find("^munge") != std::string::npos;
    return warning_if(facts.text("munge.socket") == "no" && !excluded,
                      fmt::format("PMIX_SECURITY_MODE={}, /run/munge/munge.socket.2: {}", modes,
                                  facts.text("munge.socket")));
  }
  if (facts.text("slurm.AuthType") != "auth/munge" || !facts.has("munge.socket"))
    return std::nullopt;
  if (facts.text("slurm.AuthInfo").find("socket=") != std::string::npos) return std::nullopt;
  return warning_if(facts.text("munge.socket") == "no",
                    "/run/munge/munge.socket.2: " + facts.text("munge.socket"));
}

}  // namespace

std::vector<Check> slurm_checks() {
  return {
      {{"controller", "no step starts without slurmctld", "check the network, munge and slurmctld",
        "scontrol ping; systemctl status slurmctld munge"},
       Place::submit,
       controller},
      {{"hidden-nodes",
        "users cannot see which nodes are drained or have failed: drain= does nothing, a rule with "
        "feature: matches no node, and a dead batch host is noticed only when Slurm marks it down",
        "take `nodes` out of PrivateData= in slurm.conf, or tell users not to use drain="},
       Place::submit,
       hidden_nodes},
      {{"plugin", "srun --distributed is unknown to Slurm on this host, or the step is refused",
        "install the muster.so for this Slurm and architecture, and switch it on: muster-plugstack enable"},
       Place::anywhere,
       plugin},
      {{"pmix-plugin", "every srun without --mpi fails: \"Invalid MPI type\"",
        "install Slurm's PMIx plugin, or set MpiDefault=none"},
       Place::anywhere,
       pmix_plugin},
      {{"pmix-library", "srun lists pmix, but each srun --mpi=pmix fails",
        "install the libpmix that Slurm was built with (Debian 12: libpmix-dev), and restart slurmd"},
       Place::anywhere,
       pmix_library},
      {{"pmix-path", "programs load a libpmix other than slurmd's, and die in MPI_Init",
        "remove that directory from LD_LIBRARY_PATH, or match the major version"},
       Place::anywhere,
       pmix_path},
      {{"srun-ports",
        "srun needs 4 ports, and 2 more for every 48 additional nodes; a few sruns at once use "
        "them up",
        "widen SrunPortRange, and the firewall's rule with it"},
       Place::submit,
       srun_ports},
      {{"port-ranges", "a task's port may be taken by any outgoing connection: \"address in use\"",
        "move MpiParams=ports= out of net.ipv4.ip_local_port_range"},
       Place::anywhere,
       port_ranges},
      {{"inherited-step",
        "jobs submitted from inside a step inherit its SLURM_* variables: binding, CPUs",
        "submit from a shell outside the step, or unset SLURM_*"},
       Place::submit,
       inherited_step},
      {{"cpus-per-task",
        "this release's srun ignores sbatch's --cpus-per-task, so each rank "
        "gets one core",
        "export SRUN_CPUS_PER_TASK=$SLURM_CPUS_PER_TASK"},
       Place::submit,
       cpus_per_task},
      {{"task-affinity",
        "--cpu-bind has no effect; --distributed binds the tasks itself, unless Slurm chooses their GPUs",
        "TaskPlugin=task/cgroup,task/affinity"},
       Place::submit,
       task_affinity},
      {{"munge", "PMIx fails or prints warnings in a container without munge's socket",
        "mount /run/munge, or set PMIX_MCA_psec=^munge"},
       Place::node,
       munge},
      {{"slurm-commands",
        "agents start only commands that nobody but root and slurmstepd's owner can replace: without "
        "them, a site's rule for a partition or account refuses every launch, and nothing ends a "
        "job whose batch host has died",
        "give the command and the directories above it to root or to slurmstepd's owner, and take "
        "the right to write from others"},
       Place::node,
       commands},
  };
}

}  // namespace muster::doctor
