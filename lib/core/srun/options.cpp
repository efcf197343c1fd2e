#include "core/srun/options.hpp"

#include <algorithm>

namespace muster::srun {
namespace {

using Row = OptionInfo;
using enum Form;
using enum Salloc;

// A row that omits them has the form `required` and is not one of salloc's options. --pty and
// --external-launcher take no value in some releases, and an optional one in others. srun of 22.05 and 23.02
// does not read SLURM_CPUS_PER_TASK.
constexpr std::array rows{
    Row{.name = "accel-bind"},
    Row{.name = "account", .letter = 'A', .salloc = listed, .variables = {"SLURM_ACCOUNT"}},
    Row{.name = "acctg-freq", .salloc = unlisted, .variables = {"SLURM_ACCTG_FREQ"}},
    Row{.name = "async", .form = none, .since = 2605},
    Row{.name = "autocomplete", .salloc = listed, .since = 2302},
    Row{.name = "bb", .salloc = listed, .variables = {"SLURM_BURST_BUFFER"}},
    Row{.name = "bbf", .salloc = listed},
    Row{.name = "bcast", .form = optional, .variables = {"SLURM_BCAST"}},
    Row{.name = "bcast-exclude", .variables = {"SLURM_BCAST_EXCLUDE"}},
    Row{.name = "begin", .letter = 'b', .salloc = listed},
    Row{.name = "chdir", .letter = 'D', .variables = {"SLURM_REMOTE_CWD", "SLURM_WORKING_DIR"}},
    Row{.name = "cluster", .salloc = listed},
    Row{.name = "cluster-constraint", .salloc = listed, .variables = {"SLURM_CLUSTER_CONSTRAINT"}},
    Row{.name = "clusters", .letter = 'M', .salloc = listed, .variables = {"SLURM_CLUSTERS"}},
    Row{.name = "comment", .salloc = listed},
    Row{.name = "compress", .form = optional, .variables = {"SLURM_COMPRESS"}},
    Row{.name = "consolidate-segments",
        .form = none,
        .salloc = unlisted,
        .variables = {"SLURM_CONSOLIDATE_SEGMENTS"},
        .since = 2511},
    Row{.name = "constraint", .letter = 'C', .salloc = listed, .variables = {"SLURM_CONSTRAINT"}},
    Row{.name = "container", .salloc = listed, .variables = {"SRUN_CONTAINER"}},
    Row{.name = "container-id",
        .salloc = listed,
        .variables = {"SRUN_CONTAINER_ID"},
        .since = 2302},
    Row{.name = "container-type",
        .salloc = listed,
        .variables = {"SRUN_CONTAINER_TYPE"},
        .since = 2605},
    Row{.name = "context", .salloc = unlisted},
    Row{.name = "contiguous", .form = none, .salloc = listed},
    Row{.name = "core-spec", .letter = 'S', .salloc = listed, .variables = {"SLURM_CORE_SPEC"}},
    Row{.name = "cores-per-socket", .salloc = listed, .variables = {"SLURM_NCORES_PER_SOCKET"}},
    Row{.name = "cpu-bind", .variables = {"SLURM_CPU_BIND"}},
    Row{.name = "cpu-freq", .salloc = listed, .variables = {"SLURM_CPU_FREQ_REQ"}},
    Row{.name = "cpu_bind", .same_as = "cpu-bind"},
    Row{.name = "cpus-per-gpu", .salloc = listed, .variables = {"SLURM_CPUS_PER_GPU"}},
    Row{.name = "cpus-per-task",
        .letter = 'c',
        .salloc = listed,
        .variables = {"SRUN_CPUS_PER_TASK", "SLURM_CPUS_PER_TASK"}},
    Row{.name = "deadline", .salloc = listed},
    Row{.name = "debugger-test", .form = none},
    Row{.name = "delay-boot", .salloc = listed, .variables = {"SLURM_DELAY_BOOT"}},
    Row{.name = "dependency", .letter = 'd', .salloc = listed, .variables = {"SLURM_DEPENDENCY"}},
    Row{.name = "disable-status",
        .letter = 'X',
        .form = none,
        .variables = {"SLURM_DISABLE_STATUS"}},
    Row{.name = "distribution",
        .letter = 'm',
        .salloc = listed,
        .variables = {"SLURM_DISTRIBUTION"}},
    Row{.name = "epilog", .variables = {"SLURM_EPILOG"}},
    Row{.name = "error", .letter = 'e', .variables = {"SLURM_STDERRMODE", "SRUN_ERROR"}},
    Row{.name = "exact", .form = none, .variables = {"SLURM_EXACT"}},
    Row{.name = "exclude", .letter = 'x', .salloc = listed},
    Row{.name = "exclusive", .form = optional, .salloc = listed, .variables = {"SLURM_EXCLUSIVE"}},
    Row{.name = "export", .variables = {"SLURM_EXPORT_ENV", "SRUN_EXPORT_ENV"}},
    Row{.name = "external-launcher",
        .form = optional,
        .variables = {"SLURM_EXTERNAL_LAUNCHER"},
        .since = 2311},
    Row{.name = "extra", .salloc = unlisted, .since = 2302},
    Row{.name = "extra-node-info", .letter = 'B', .salloc = listed},
    Row{.name = "gid", .until = 2205},
    Row{.name = "gpu-bind", .salloc = listed, .variables = {"SLURM_GPU_BIND"}},
    Row{.name = "gpu-freq", .salloc = listed, .variables = {"SLURM_GPU_FREQ"}},
    Row{.name = "gpus", .letter = 'G', .salloc = listed, .variables = {"SLURM_GPUS"}},
    Row{.name = "gpus-per-node", .salloc = listed, .variables = {"SLURM_GPUS_PER_NODE"}},
    Row{.name = "gpus-per-socket", .salloc = listed, .variables = {"SLURM_GPUS_PER_SOCKET"}},
    Row{.name = "gpus-per-task", .salloc = listed, .variables = {"SLURM_GPUS_PER_TASK"}},
    Row{.name = "gres", .salloc = listed, .variables = {"SLURM_GRES"}},
    Row{.name = "gres-flags", .salloc = listed, .variables = {"SLURM_GRES_FLAGS"}},
    Row{.name = "help", .letter = 'h', .form = none},
    Row{.name = "het-group"},
    Row{.name = "hint", .salloc = listed, .variables = {"SLURM_HINT"}},
    Row{.name = "hold", .letter = 'H', .form = none, .salloc = listed},
    Row{.name = "ignore-signals", .since = 2605},
    Row{.name = "immediate", .letter = 'I', .form = optional, .salloc = listed},
    Row{.name = "input", .letter = 'i', .variables = {"SLURM_STDINMODE", "SRUN_INPUT"}},
    Row{.name = "interactive", .form = none},
    Row{.name = "job-name", .letter = 'J', .salloc = listed, .variables = {"SLURM_JOB_NAME"}},
    Row{.name = "jobid", .variables = {"SLURM_JOB_ID"}},
    Row{.name = "kill-on-bad-exit",
        .letter = 'K',
        .form = optional,
        .variables = {"SLURM_KILL_BAD_EXIT"}},
    Row{.name = "label", .letter = 'l', .form = none, .variables = {"SLURM_LABELIO"}},
    Row{.name = "licenses", .letter = 'L', .salloc = listed},
    Row{.name = "mail-type", .salloc = listed},
    Row{.name = "mail-user", .salloc = listed},
    Row{.name = "mcs-label", .salloc = listed},
    Row{.name = "mem", .salloc = listed, .variables = {"SLURM_MEM_PER_NODE"}},
    Row{.name = "mem-bind", .salloc = listed, .variables = {"SLURM_MEM_BIND"}},
    Row{.name = "mem-per-cpu", .salloc = listed, .variables = {"SLURM_MEM_PER_CPU"}},
    Row{.name = "mem-per-gpu", .salloc = listed, .variables = {"SLURM_MEM_PER_GPU"}},
    Row{.name = "mem-update", .salloc = listed, .since = 2605},
    Row{.name = "mincpus", .salloc = listed},
    Row{.name = "mpi", .variables = {"SLURM_MPI_TYPE"}},
    Row{.name = "msg-timeout"},
    Row{.name = "multi-prog", .form = none, .variables = {"SLURM_SRUN_MULTI"}},
    Row{.name = "network", .salloc = unlisted, .variables = {"SLURM_NETWORK"}},
    Row{.name = "nice", .form = optional, .salloc = listed},
    Row{.name = "no-allocate", .letter = 'Z', .form = none},
    Row{.name = "no-kill",
        .letter = 'k',
        .form = optional,
        .salloc = listed,
        .variables = {"SLURM_NO_KILL"}},
    Row{.name = "nodefile", .letter = 'F', .salloc = listed},
    Row{.name = "nodelist", .letter = 'w', .salloc = listed},
    Row{.name = "nodes", .letter = 'N', .salloc = listed, .variables = {"SLURM_JOB_NUM_NODES"}},
    Row{.name = "ntasks",
        .letter = 'n',
        .salloc = listed,
        .variables = {"SLURM_NPROCS", "SLURM_NTASKS"}},
    Row{.name = "ntasks-per-core", .salloc = listed, .variables = {"SLURM_NTASKS_PER_CORE"}},
    Row{.name = "ntasks-per-gpu", .salloc = unlisted, .variables = {"SLURM_NTASKS_PER_GPU"}},
    Row{.name = "ntasks-per-node", .salloc = listed, .variables = {"SLURM_NTASKS_PER_NODE"}},
    Row{.name = "ntasks-per-socket", .salloc = listed},
    Row{.name = "ntasks-per-tres", .salloc = unlisted, .variables = {"SLURM_NTASKS_PER_TRES"}},
    Row{.name = "oom-kill-step",
        .form = optional,
        .salloc = listed,
        .variables = {"SLURM_OOM_KILL_STEP"},
        .since = 2411},
    Row{.name = "open-mode", .variables = {"SLURM_OPEN_MODE"}},
    Row{.name = "output", .letter = 'o', .variables = {"SLURM_STDOUTMODE", "SRUN_OUTPUT"}},
    Row{.name = "overcommit",
        .letter = 'O',
        .form = none,
        .salloc = listed,
        .variables = {"SLURM_OVERCOMMIT"}},
    Row{.name = "overlap", .form = optional, .variables = {"SLURM_OVERLAP"}},
    Row{.name = "oversubscribe", .letter = 's', .form = none, .salloc = listed},
    Row{.name = "pack-group", .same_as = "het-group"},
    Row{.name = "parsable", .form = none, .since = 2605},
    Row{.name = "partition", .letter = 'p', .salloc = listed, .variables = {"SLURM_PARTITION"}},
    Row{.name = "power", .salloc = listed, .variables = {"SLURM_POWER"}, .until = 2311},
    Row{.name = "prefer", .salloc = unlisted},
    Row{.name = "preserve-env", .letter = 'E', .form = none},
    Row{.name = "priority", .salloc = listed},
    Row{.name = "profile", .salloc = listed, .variables = {"SLURM_PROFILE"}},
    Row{.name = "prolog", .variables = {"SLURM_PROLOG"}},
    Row{.name = "propagate", .form = optional},
    Row{.name = "pty", .form = optional},
    Row{.name = "qos", .letter = 'q', .salloc = listed, .variables = {"SLURM_QOS"}},
    Row{.name = "quiet", .letter = 'Q', .form = none, .salloc = listed},
    Row{.name = "quit-on-interrupt", .form = none},
    Row{.name = "reboot", .form = none, .salloc = listed},
    Row{.name = "relative", .letter = 'r'},
    Row{.name = "reservation", .salloc = listed, .variables = {"SLURM_RESERVATION"}},
    Row{.name = "resources", .salloc = unlisted, .since = 2511},
    Row{.name = "resv-ports",
        .form = optional,
        .salloc = listed,
        .variables = {"SLURM_RESV_PORTS"}},
    Row{.name = "segment", .salloc = unlisted, .variables = {"SRUN_SEGMENT_SIZE"}, .since = 2405},
    Row{.name = "send-libs", .form = optional, .variables = {"SLURM_SEND_LIBS"}},
    Row{.name = "signal", .salloc = listed, .variables = {"SLURM_SIGNAL"}},
    Row{.name = "slurmd-debug", .variables = {"SLURMD_DEBUG"}},
    Row{.name = "sockets-per-node", .salloc = listed, .variables = {"SLURM_NSOCKETS_PER_NODE"}},
    Row{.name = "spread-job", .form = none, .salloc = listed, .variables = {"SLURM_SPREAD_JOB"}},
    Row{.name = "spread-segments",
        .form = none,
        .salloc = listed,
        .variables = {"SLURM_SPREAD_SEGMENTS"},
        .since = 2511},
    Row{.name = "stepmgr", .form = none, .salloc = unlisted, .since = 2405},
    Row{.name = "switches", .salloc = listed},
    Row{.name = "task-epilog", .variables = {"SLURM_TASK_EPILOG"}},
    Row{.name = "task-prolog", .variables = {"SLURM_TASK_PROLOG"}},
    Row{.name = "tasks-per-node", .salloc = unlisted, .same_as = "ntasks-per-node"},
    Row{.name = "test-only", .form = none},
    Row{.name = "thread-spec", .salloc = listed, .variables = {"SLURM_THREAD_SPEC"}},
    Row{.name = "threads", .letter = 'T', .variables = {"SLURM_THREADS"}},
    Row{.name = "threads-per-core", .salloc = listed, .variables = {"SLURM_THREADS_PER_CORE"}},
    Row{.name = "time", .letter = 't', .salloc = listed, .variables = {"SLURM_TIMELIMIT"}},
    Row{.name = "time-min", .salloc = listed},
    Row{.name = "tmp", .salloc = listed},
    Row{.name = "treewidth", .since = 2311},
    Row{.name = "tres-bind", .salloc = listed, .variables = {"SLURM_TRES_BIND"}, .since = 2311},
    Row{.name = "tres-per-task",
        .salloc = listed,
        .variables = {"SLURM_TRES_PER_TASK"},
        .since = 2302},
    Row{.name = "uid", .until = 2205},
    Row{.name = "unbuffered", .letter = 'u', .form = none, .variables = {"SLURM_UNBUFFEREDIO"}},
    Row{.name = "usage", .form = none},
    Row{.name = "use-min-nodes",
        .form = none,
        .salloc = listed,
        .variables = {"SLURM_USE_MIN_NODES"}},
    Row{.name = "verbose",
        .letter = 'v',
        .form = none,
        .salloc = listed,
        .variables = {"SLURM_DEBUG"}},
    Row{.name = "version", .letter = 'V', .form = none},
    Row{.name = "wait", .letter = 'W', .variables = {"SLURM_WAIT"}},
    Row{.name = "wait-for-children", .form = none, .since = 2505},
    Row{.name = "wckey", .salloc = listed, .variables = {"SLURM_WCKEY"}},
    Row{.name = "whole", .form = none},
    Row{.name = "x11", .form = optional, .salloc = unlisted}};

// nullptr also if it is ambiguous.
const Row* complete_in(int release, std::string_view name) {
  const Row* found = nullptr;
  for (const auto& row : rows) {
    if (row.since > release || row.until < release || !row.name.starts_with(name)) continue;
    if (found != nullptr && own_name(*found) != own_name(row)) return nullptr;
    if (found == nullptr) found = &row;
  }
  return found;
}

}  // namespace

std::span<const OptionInfo> all_options() {
  return rows;
}

const OptionInfo* find_option(std::string_view name) {
  const auto* const found = std::ranges::find(rows, name, &OptionInfo::name);
  return found == rows.end() ? nullptr : found;
}

const OptionInfo* find_option(char letter) {
  if (letter == 0) return nullptr;
  const auto* const found = std::ranges::find(rows, letter, &OptionInfo::letter);
  return found == rows.end() ? nullptr : found;
}

const OptionInfo* complete_option(std::string_view name) {
  if (const auto* const whole = find_option(name)) return whole;
  if (name.empty()) return nullptr;
  for (const auto release : slurm::releases) {
    if (const auto* const found = complete_in(release, name)) return found;
  }
  return nullptr;
}

bool begins_option(std::string_view name) {
  return !name.empty() &&
         std::ranges::any_of(rows, [&](const auto& row) { return row.name.starts_with(name); });
}

}  // namespace muster::srun
