// Kernel limits, files and settings; those of the network are in network_checks.cpp.
// launcher/tools/doctor/host_facts.cpp collects the facts.
#include "core/doctor/check.hpp"
#include "core/fabric/locked_memory.hpp"

#include <fmt/format.h>

namespace muster::doctor {
namespace {

constexpr std::uint64_t kib = 1024;
constexpr std::uint64_t mib = 1024 * kib;
constexpr std::uint64_t gib = 1024 * mib;
constexpr std::uint64_t few_files = 16384;
constexpr std::uint64_t few_processes = 4096;
constexpr std::uint64_t nccl_corrects_stacks = 22800;
constexpr std::uint64_t long_tmpdir = 60;
constexpr std::uint64_t too_long_tmpdir = 74;

std::string limit_text(const Facts& facts, std::string_view name) {
  return facts.text(name) + (facts.text(name) == "unlimited" ? "" : " bytes");
}

Verdict memlock(const Facts& facts) {
  if (!facts.has("limit.memlock") || facts.count("ib.devices") == 0) return std::nullopt;
  const auto limit = facts.number("limit.memlock");
  return error_if(
      limit && *limit < fabric::enough_locked_memory,
      fmt::format(
          "max locked memory {}, slurmd's own {}", limit_text(facts, "limit.memlock"),
          facts.has("slurmd.memlock") ? limit_text(facts, "slurmd.memlock") : "cannot be seen"));
}

Verdict stack(const Facts& facts) {
  if (!facts.has("limit.stack") || !facts.has("nccl.version")) return std::nullopt;
  return warning_if(facts.text("limit.stack") == "unlimited" &&
                        facts.count("nccl.version") < nccl_corrects_stacks,
                    fmt::format("stack {}, NCCL {}", limit_text(facts, "limit.stack"),
                                facts.text("nccl.version")));
}

Verdict open_files(const Facts& facts) {
  if (!facts.has("limit.nofile")) return std::nullopt;
  const auto limit = facts.number("limit.nofile");
  return warning_if(limit && *limit < few_files, "hard limit " + facts.text("limit.nofile"));
}

Verdict processes(const Facts& facts) {
  if (!facts.has("limit.nproc")) return std::nullopt;
  const auto limit = facts.number("limit.nproc");
  const auto group = facts.number("pids.max");
  return warning_if((limit && *limit <= few_processes) || (group && *group <= few_processes),
                    fmt::format("max user processes {}, pids.max {}", facts.text("limit.nproc"),
                                facts.has("pids.max") ? facts.text("pids.max") : "not set"));
}

Verdict shared_memory(const Facts& facts) {
  const auto free = facts.number("shm.free");
  if (!free) return std::nullopt;
  return warning_if(*free < gib, fmt::format("/dev/shm has {} MiB free", *free / mib));
}

Verdict temporary_files(const Facts& facts) {
  if (!facts.has("tmp.path")) return std::nullopt;
  const auto path = facts.text("tmp.path");
  if (facts.text("tmp.writable") == "no") return error(path + " cannot be written");
  const auto free = facts.number("tmp.free");
  if (!free) return error(path + " did not answer in time");
  auto evidence = fmt::format("{} has {} MiB free", path, *free / mib);
  if (*free < 16 * mib) return error(evidence);
  return warning_if(*free < 512 * mib, evidence);
}

Verdict tmpdir_length(const Facts& facts) {
  const auto length = facts.text("tmp.path").size();
  if (length == 0) return std::nullopt;
  const auto evidence = fmt::format("{} characters: {}", length, facts.text("tmp.path"));
  if (length > too_long_tmpdir) return error(evidence);
  return warning_if(length > long_tmpdir, evidence);
}

Verdict home(const Facts& facts) {
  if (!facts.has("home.path")) return std::nullopt;
  const auto path = facts.text("home.path");
  if (facts.text("home.writable") == "no") return warning(path + " cannot be written");
  const auto free = facts.number("home.free");
  if (!free) return error(path + " did not answer in time");
  return warning_if(*free < gib, fmt::format("{} has {} MiB free", path, *free / mib));
}

Verdict file_locks(const Facts& facts) {
  if (facts.text("cache.type") != "lustre") return std::nullopt;
  const bool locks = facts.text("cache.options").find("flock") != std::string::npos;
  return warning_if(
      !locks, fmt::format("{}: Lustre, {}", facts.text("cache.path"), facts.text("cache.options")));
}

Verdict remove_ipc(const Facts& facts) {
  if (!facts.has("logind.remove_ipc") || facts.count("user.id") < 1000) return std::nullopt;
  return warning_if(facts.text("logind.remove_ipc") != "no",
                    "systemd-logind runs with RemoveIPC=" + facts.text("logind.remove_ipc"));
}

Verdict tracing(const Facts& facts) {
  if (!facts.has("sysctl.ptrace_scope")) return std::nullopt;
  return warning_if(facts.count("sysctl.ptrace_scope") >= 1,
                    "kernel.yama.ptrace_scope=" + facts.text("sysctl.ptrace_scope"));
}

// Until a task executes its program, only root can see it in /proc: without pidfds, it is then too late to
// watch it.
Verdict hidden_processes(const Facts& facts) {
  if (!facts.has("proc.hidepid")) return std::nullopt;
  const bool has_pidfds = facts.text("pidfds") == "yes";
  return warning_if(!has_pidfds,
                    fmt::format("/proc is mounted with hidepid={}{}{}", facts.text("proc.hidepid"),
                                facts.has("proc.gid") ? ",gid=" + facts.text("proc.gid") : "",
                                has_pidfds ? "" : ", and this kernel has no pidfds"));
}

Verdict selinux(const Facts& facts) {
  if (facts.text("selinux.enforce") != "1") return std::nullopt;
  const auto context = facts.text("selinux.context");
  return warning_if(context.find("unconfined") == std::string::npos, "enforcing, as " + context);
}

Verdict locale(const Facts& facts) {
  if (!facts.has("locale")) return std::nullopt;
  return warning_if(
      facts.text("locale") == "missing",
      fmt::format("LANG={} LC_ALL={}", facts.text("env.LANG"), facts.text("env.LC_ALL")));
}

Verdict user_namespaces(const Facts& facts) {
  if (!facts.has("enroot")) return std::nullopt;
  const bool none =
      facts.has("sysctl.user_namespaces") && facts.count("sysctl.user_namespaces") == 0;
  const bool refused = facts.count("sysctl.apparmor_userns") == 1;
  return warning_if(none || refused, fmt::format("user.max_user_namespaces={}, "
                                                 "kernel.apparmor_restrict_unprivileged_userns={}",
                                                 facts.text("sysctl.user_namespaces"),
                                                 facts.text("sysctl.apparmor_userns")));
}

Verdict governor(const Facts& facts) {
  if (!facts.has("cpu.governor")) return std::nullopt;
  const auto name = facts.text("cpu.governor");
  const auto driver = facts.text("cpu.driver");
  // These drivers choose the clock rate themselves: their powersave governor is fast, like ondemand
  // elsewhere.
  const bool chooses = driver == "intel_pstate" || driver == "amd-pstate-epp";
  const auto preference = facts.text("cpu.preference");
  const bool slow = chooses ? preference == "power"
                            : name == "powersave" || name == "ondemand" || name == "conservative";
  return warning_if(
      slow,
      fmt::format(
          "cpufreq/scaling_governor={}{}{}", name, driver.empty() ? "" : ", driver " + driver,
          chooses && !preference.empty() ? ", energy_performance_preference=" + preference : ""));
}

Verdict zone_reclaim(const Facts& facts) {
  if (!facts.has("sysctl.zone_reclaim")) return std::nullopt;
  return warning_if(facts.count("sysctl.zone_reclaim") != 0,
                    "vm.zone_reclaim_mode=" + facts.text("sysctl.zone_reclaim"));
}

Verdict name_service(const Facts& facts) {
  const auto took = facts.number("name.ms");
  if (!took) return std::nullopt;
  return warning_if(*took > 2000,
                    fmt::format("looking up the user and this host's name took {} ms", *took));
}

std::vector<Check> limit_checks() {
  return {
      {{"memlock", "RDMA cannot register memory: \"Cannot allocate memory\"",
        "set LimitMEMLOCK=infinity for slurmd, and PropagateResourceLimitsExcept=MEMLOCK"},
       Place::node,
       memlock},
      {{"stack", "an unlimited stack crashes NCCL before 2.28", "ulimit -Ss 8192 before srun"},
       Place::node,
       stack},
      {{"open-files", "large runs fail: \"Too many open files\"",
        "set LimitNOFILE=131072 or more for slurmd"},
       Place::node,
       open_files},
      {{"processes", "threads cannot start: \"Resource temporarily unavailable\"",
        "raise nproc and pids.max, or lower OMP_NUM_THREADS"},
       Place::node,
       processes},
      {{"shared-memory", "NCCL and DataLoader fail to extend files in /dev/shm",
        "give the node or container a larger /dev/shm"},
       Place::node,
       shared_memory},
      {{"tmp", "programs cannot write their temporary files",
        "free some space, or set another TMPDIR"},
       Place::node,
       temporary_files},
      {{"tmpdir-length", "socket paths below TMPDIR become too long: \"AF_UNIX path too long\"",
        "set a TMPDIR of at most 60 characters"},
       Place::node,
       tmpdir_length},
      {{"home", "compiler and model caches fill the home directory during startup",
        "free some space, or move HF_HOME, TRITON_CACHE_DIR and TORCH_EXTENSIONS_DIR"},
       Place::node,
       home},
  };
}

}  // namespace

std::vector<Check> host_checks() {
  auto checks = limit_checks();
  const std::vector<Check> others{
      {{"file-locks",
        "locks on this file system do nothing or hang, so programs can corrupt a shared cache",
        "mount with -o flock, or move the cache to a local disk"},
       Place::node,
       file_locks},
      {{"remove-ipc", "logind deletes /dev/shm/nccl-* when your last login on the node ends",
        "set RemoveIPC=no in logind.conf"},
       Place::node,
       remove_ipc},
      {{"tracing",
        "py-spy, gdb and muster dump --native cannot read a rank; only muster's start hook "
        "provides stacks",
        "set kernel.yama.ptrace_scope=0, or keep python=on"},
       Place::node,
       tracing},
      {{"hidepid",
        "a rank that /proc hides when it starts may be noticed too late for muster to kill it",
        "use Linux 5.3 or newer, or mount /proc with gid= set to a group that contains all users"},
       Place::node,
       hidden_processes},
      {{"selinux", "access to files and sockets is denied despite their permissions",
        "let slurmd's children run unconfined", "ausearch -m avc -ts recent"},
       Place::node,
       selinux},
      {{"locale", "UnicodeDecodeError in logs, warnings from setlocale", "export LC_ALL=C.UTF-8"},
       Place::node,
       locale},
      {{"user-namespaces", "enroot cannot start containers: \"failed to create user namespace\"",
        "raise user.max_user_namespaces, or allow enroot in AppArmor"},
       Place::node,
       user_namespaces},
      {{"governor", "the CPUs' clock speed varies, which slows data input and causes jitter",
        "cpupower frequency-set -g performance"},
       Place::node,
       governor},
      {{"zone-reclaim", "ranks wait while the kernel frees memory", "vm.zone_reclaim_mode=0"},
       Place::node,
       zone_reclaim},
      {{"name-service", "thousands of user and host look-ups slow down the start of tasks",
        "set LaunchParameters=enable_nss_slurm and use nss_slurm, or use a local cache"},
       Place::anywhere,
       name_service},
  };
  checks.insert(checks.end(), others.begin(), others.end());
  return checks;
}

}  // namespace muster::doctor
