#include "core/option/srun_options.hpp"

#include <algorithm>
#include <array>

namespace muster::option {
namespace {

// Of 22.05 to 26.05.
constexpr std::array<std::string_view, 155> slurms{"accel-bind",
                                                   "account",
                                                   "acctg-freq",
                                                   "async",
                                                   "autocomplete",
                                                   "bb",
                                                   "bbf",
                                                   "bcast",
                                                   "bcast-exclude",
                                                   "begin",
                                                   "bell",
                                                   "chdir",
                                                   "cluster",
                                                   "cluster-constraint",
                                                   "clusters",
                                                   "comment",
                                                   "compress",
                                                   "consolidate-segments",
                                                   "constraint",
                                                   "container",
                                                   "container-id",
                                                   "container-type",
                                                   "context",
                                                   "contiguous",
                                                   "core-spec",
                                                   "cores-per-socket",
                                                   "cpu-bind",
                                                   "cpu-freq",
                                                   "cpu_bind",
                                                   "cpus-per-gpu",
                                                   "cpus-per-task",
                                                   "deadline",
                                                   "debugger-test",
                                                   "delay-boot",
                                                   "dependency",
                                                   "disable-status",
                                                   "distribution",
                                                   "epilog",
                                                   "error",
                                                   "exact",
                                                   "exclude",
                                                   "exclusive",
                                                   "export",
                                                   "export-file",
                                                   "external",
                                                   "external-launcher",
                                                   "extra",
                                                   "extra-node-info",
                                                   "get-user-env",
                                                   "gid",
                                                   "gpu-bind",
                                                   "gpu-freq",
                                                   "gpus",
                                                   "gpus-per-node",
                                                   "gpus-per-socket",
                                                   "gpus-per-task",
                                                   "gres",
                                                   "gres-flags",
                                                   "help",
                                                   "het-group",
                                                   "hint",
                                                   "hold",
                                                   "ignore-signals",
                                                   "immediate",
                                                   "input",
                                                   "interactive",
                                                   "job-name",
                                                   "jobid",
                                                   "kill-on-bad-exit",
                                                   "label",
                                                   "licenses",
                                                   "mail-type",
                                                   "mail-user",
                                                   "mcs-label",
                                                   "mem",
                                                   "mem-bind",
                                                   "mem-per-cpu",
                                                   "mem-per-gpu",
                                                   "mem-update",
                                                   "mincpus",
                                                   "mpi",
                                                   "msg-timeout",
                                                   "multi-prog",
                                                   "network",
                                                   "nice",
                                                   "no-allocate",
                                                   "no-bell",
                                                   "no-kill",
                                                   "nodefile",
                                                   "nodelist",
                                                   "nodes",
                                                   "ntasks",
                                                   "ntasks-per-core",
                                                   "ntasks-per-gpu",
                                                   "ntasks-per-node",
                                                   "ntasks-per-socket",
                                                   "ntasks-per-tres",
                                                   "oom-kill-step",
                                                   "open-mode",
                                                   "output",
                                                   "overcommit",
                                                   "overlap",
                                                   "oversubscribe",
                                                   "pack-group",
                                                   "parsable",
                                                   "partition",
                                                   "power",
                                                   "prefer",
                                                   "preserve-env",
                                                   "priority",
                                                   "profile",
                                                   "prolog",
                                                   "propagate",
                                                   "pty",
                                                   "qos",
                                                   "quiet",
                                                   "quit-on-interrupt",
                                                   "reboot",
                                                   "relative",
                                                   "reservation",
                                                   "resources",
                                                   "resv-ports",
                                                   "segment",
                                                   "send-libs",
                                                   "signal",
                                                   "slurmd-debug",
                                                   "sockets-per-node",
                                                   "spread-job",
                                                   "spread-segments",
                                                   "stepmgr",
                                                   "switches",
                                                   "task-epilog",
                                                   "task-prolog",
                                                   "tasks-per-node",
                                                   "test-only",
                                                   "thread-spec",
                                                   "threads",
                                                   "threads-per-core",
                                                   "time",
                                                   "time-min",
                                                   "tmp",
                                                   "treewidth",
                                                   "tres-bind",
                                                   "tres-per-task",
                                                   "uid",
                                                   "unbuffered",
                                                   "usage",
                                                   "use-min-nodes",
                                                   "verbose",
                                                   "version",
                                                   "wait",
                                                   "wait-for-children",
                                                   "wckey",
                                                   "whole",
                                                   "x11"};

bool is_abbreviation_of(std::string_view name, std::string_view option) {
  return !name.empty() && option.starts_with(name);
}

}  // namespace

bool is_srun_option(std::string_view name) {
  return std::ranges::any_of(slurms, [&](auto option) { return is_abbreviation_of(name, option); });
}

bool is_exact_srun_option(std::string_view name) {
  return std::ranges::find(slurms, name) != slurms.end();
}

std::string_view full_srun_option(std::string_view name) {
  if (is_exact_srun_option(name)) return *std::ranges::find(slurms, name);
  const auto found =
      std::ranges::find_if(slurms, [&](auto option) { return is_abbreviation_of(name, option); });
  return found == slurms.end() ? std::string_view() : *found;
}

std::vector<std::string> options_of_plugins(std::span<const std::string> options) {
  std::vector<std::string> found;
  for (const auto& word : options) {
    if (word == "--") break;
    if (!word.starts_with("--")) continue;
    const auto name = std::string_view(word).substr(2, word.find('=') - 2);
    if (is_srun_option(name) || is_abbreviation_of(name, "distributed")) continue;
    found.emplace_back(name);
  }
  return found;
}

}  // namespace muster::option
