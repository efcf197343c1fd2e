// The kernel, limits and settings.
#include "core/text/list.hpp"
#include "core/text/number.hpp"
#include "launcher/agent/ranks/process.hpp"
#include "launcher/os/bounded_child.hpp"
#include "launcher/os/small_file.hpp"
#include "launcher/site/installed.hpp"
#include "launcher/tools/doctor/gather.hpp"

#include <algorithm>
#include <array>
#include <clocale>

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

namespace muster::doctor {
namespace {

constexpr std::size_t max_file = 65536;
constexpr int max_ancestors = 8;

struct Limit {
  std::string_view title;  // its title in /proc/PID/limits
  std::string_view fact;
  bool hard;
};

// Parses a line such as "Max locked memory         8388608              8388608              bytes".
std::string limit(const std::string& text, const Limit& limit) {
  constexpr std::size_t title_width = 26;
  for (const auto line : text::split(text, '\n')) {
    if (!line.starts_with(limit.title) || line.size() <= title_width) continue;
    auto rest = line.substr(title_width);
    for (int skip = limit.hard ? 1 : 0; skip > 0; --skip) {
      rest.remove_prefix(std::min(rest.find(' '), rest.size()));
      rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    }
    return std::string(rest.substr(0, rest.find(' ')));
  }
  return {};
}

void add_limits(const Surroundings& surroundings, Facts& facts) {
  constexpr std::array limits{Limit{"Max locked memory", "limit.memlock", false},
                              Limit{"Max stack size", "limit.stack", false},
                              Limit{"Max open files", "limit.nofile", true},
                              Limit{"Max processes", "limit.nproc", false}};
  const auto text = os::small_file(surroundings.root / "proc/self/limits", max_file);
  for (const auto& each : limits) {
    const auto value = limit(text, each);
    if (!value.empty()) facts.set(each.fact, value);
  }
}

std::string parent_of(const Surroundings& surroundings, const std::string& process) {
  const auto status = os::small_file(surroundings.root / "proc" / process / "status", max_file);
  const auto at = status.find("\nPPid:\t");
  if (at == std::string::npos) return {};
  const auto begin = at + 7;
  return status.substr(begin, status.find('\n', begin) - begin);
}

// slurmstepd has the limits of slurmd, which systemd gave it.
void add_limits_of_slurmd(const Surroundings& surroundings, Facts& facts) {
  std::string process = "self";
  for (int i = 0; i < max_ancestors; ++i) {
    process = parent_of(surroundings, process);
    if (process.empty() || process == "0") return;
    if (!first_line(surroundings, "proc/" + process + "/comm").starts_with("slurmstepd")) continue;
    const auto text = os::small_file(surroundings.root / "proc" / process / "limits", max_file);
    const auto value = limit(text, {"Max locked memory", {}, true});
    if (!value.empty()) facts.set("slurmd.memlock", value);
    return;
  }
}

// The smallest limit among the control groups from here up.
void add_process_limit(const Surroundings& surroundings, Facts& facts) {
  auto group = first_line(surroundings, "proc/self/cgroup");
  if (!group.starts_with("0::/")) return;
  std::optional<std::uint64_t> least;
  for (std::filesystem::path path = group.substr(4);; path = path.parent_path()) {
    const auto value = text::number<std::uint64_t>(
        first_line(surroundings, ("sys/fs/cgroup" / path / "pids.max").string()));
    if (value && (!least || *value < *least)) least = value;
    if (path.empty() || path == path.parent_path()) break;
  }
  if (least) facts.set_number("pids.max", *least);
}

void add_settings(const Surroundings& surroundings, Facts& facts) {
  constexpr std::array<std::array<std::string_view, 2>, 10> files{{
      {"proc/sys/kernel/yama/ptrace_scope", "sysctl.ptrace_scope"},
      {"proc/sys/vm/zone_reclaim_mode", "sysctl.zone_reclaim"},
      {"proc/sys/kernel/numa_balancing", "sysctl.numa_balancing"},
      {"proc/sys/user/max_user_namespaces", "sysctl.user_namespaces"},
      {"proc/sys/kernel/apparmor_restrict_unprivileged_userns", "sysctl.apparmor_userns"},
      {"sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "cpu.governor"},
      {"sys/devices/system/cpu/cpu0/cpufreq/scaling_driver", "cpu.driver"},
      {"sys/devices/system/cpu/cpu0/cpufreq/energy_performance_preference", "cpu.preference"},
      {"sys/fs/selinux/enforce", "selinux.enforce"},
      {"proc/self/attr/current", "selinux.context"},
  }};
  for (const auto& [path, fact] : files) add_line(surroundings, path, fact, facts);
  std::error_code unknown;
  for (const auto* const program : {"usr/bin/enroot", "usr/local/bin/enroot"}) {
    if (std::filesystem::exists(surroundings.root / program, unknown)) facts.set("enroot", "yes");
  }
}

void add_memory(const Surroundings& surroundings, Facts& facts) {
  const auto text = os::small_file(surroundings.root / "proc/meminfo", max_file);
  const auto of = [&text](std::string_view name) -> std::optional<std::uint64_t> {
    const auto at = text.find(name);
    if (at == std::string::npos) return std::nullopt;
    auto rest = std::string_view(text).substr(at + name.size());
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    return text::number<std::uint64_t>(rest.substr(0, rest.find_first_of(" \n")));
  };
  constexpr std::uint64_t kib_of_gib = 1024UL * 1024;
  if (const auto total = of("MemTotal:")) facts.set_number("memory.gib", *total / kib_of_gib);
  if (const auto pages = of("HugePages_Total:")) facts.set_number("memory.huge_pages", *pages);
  if (const auto pages = of("HugePages_Free:")) facts.set_number("memory.huge_pages_free", *pages);
}

// The value of "RemoveIPC=" in one of logind's files. The file that systemd installs has its build's default
// in a comment; on Red Hat and its derivatives that is "no".
void read_logind(const std::filesystem::path& file, std::string& value) {
  const auto text = os::small_file(file, max_file);
  for (const auto line : text::split(text, '\n')) {
    if (line.starts_with("#RemoveIPC=")) value = line.substr(11);
  }
  for (const auto line : text::split(text, '\n')) {
    if (line.starts_with("RemoveIPC=")) value = line.substr(10);
  }
}

bool is_no(const std::string& value) {
  return value == "no" || value == "false" || value == "off" || value == "0";
}

// The control group shows whether logind is running. Upstream's default is to remove.
void add_logind(const Surroundings& surroundings, Facts& facts) {
  std::error_code unknown;
  const auto groups = surroundings.root / "sys/fs/cgroup";
  constexpr std::string_view service = "system.slice/systemd-logind.service";
  if (!std::filesystem::exists(groups / service, unknown) &&
      !std::filesystem::exists(groups / "systemd" / service, unknown)) {
    return;
  }
  std::string value = "yes, the default";
  for (const auto* const folder : {"usr/lib/systemd", "run/systemd", "etc/systemd"}) {
    read_logind(surroundings.root / folder / "logind.conf", value);
  }
  for (const auto* const folder : {"usr/lib/systemd", "run/systemd", "etc/systemd"}) {
    const auto files = surroundings.root / folder / "logind.conf.d";
    for (const auto& name : names_in(files)) read_logind(files / name, value);
  }
  facts.set("logind.remove_ipc", is_no(value) ? "no" : value);
}

// The value of "name=value" among a mount's options.
std::string mount_option(std::string_view options, std::string_view name) {
  for (const auto option : text::split(options, ',')) {
    const auto equals = option.find('=');
    if (equals != std::string_view::npos && option.substr(0, equals) == name)
      return std::string(option.substr(equals + 1));
  }
  return {};
}

// Whether /proc hides other users' processes. Newer kernels print a name, older ones a number.
void add_hidden_processes(const Surroundings& surroundings, Facts& facts) {
  std::string hidden;
  std::string group;
  const auto mounts = os::small_file(surroundings.root / "proc/self/mounts", max_file);
  for (const auto line : text::split(mounts, '\n')) {
    const auto fields = text::split(line, ' ');
    if (fields.size() < 4 || fields[1] != "/proc" || fields[2] != "proc") continue;
    hidden = mount_option(fields[3], "hidepid");
    group = mount_option(fields[3], "gid");
  }
  if (hidden.empty() || hidden == "0" || hidden == "off") return;
  facts.set("proc.hidepid", hidden);
  if (!group.empty()) facts.set("proc.gid", group);
  const auto self = ranks::Process::open(getpid());
  facts.set("pidfds", self && self->descriptor() >= 0 ? "yes" : "no");
}

// In a child, because a locale belongs to the whole process.
void add_locale(const Surroundings& surroundings, Facts& facts) {
  const auto found = os::answer_of_child(
      [] { return std::string(std::setlocale(LC_ALL, "") == nullptr ? "missing" : "installed"); },
      time_for_child(surroundings));
  if (found) facts.set("locale", *found);
}

}  // namespace

void add_host_facts(const Surroundings& surroundings, Facts& facts) {
  utsname name{};
  if (uname(&name) == 0) {
    facts.set("kernel", static_cast<const char*>(name.release));
    facts.set("machine", static_cast<const char*>(name.machine));
  }
  facts.set("muster", site::installed_version());
  facts.set_number("user.id", getuid());
  facts.set_number("clock.ms", static_cast<std::uint64_t>(
                                   std::chrono::duration_cast<std::chrono::milliseconds>(
                                       std::chrono::system_clock::now().time_since_epoch())
                                       .count()));
  add_limits(surroundings, facts);
  add_limits_of_slurmd(surroundings, facts);
  add_process_limit(surroundings, facts);
  add_settings(surroundings, facts);
  add_memory(surroundings, facts);
  add_logind(surroundings, facts);
  add_hidden_processes(surroundings, facts);
  add_locale(surroundings, facts);
}

}  // namespace muster::doctor
