#include "launcher/tools/doctor/gather.hpp"

#include "core/contains.hpp"
#include "core/lint/lint.hpp"
#include "core/text/list.hpp"
#include "launcher/os/small_file.hpp"

#include <algorithm>
#include <array>

namespace muster::doctor {
namespace {

constexpr std::size_t max_line = 4096;

// The values of proxy variables are left out: they may contain passwords.
bool is_a_fact(std::string_view name) {
  constexpr std::array<std::string_view, 11> names{"LD_LIBRARY_PATH",
                                                   "PMIX_SECURITY_MODE",
                                                   "PMIX_MCA_psec",
                                                   "LANG",
                                                   "LC_ALL",
                                                   "SLURM_JOB_ID",
                                                   "SLURM_STEP_ID",
                                                   "TMPDIR",
                                                   "SLURM_JOB_NODELIST",
                                                   "SLURM_CPUS_PER_TASK",
                                                   "SRUN_CPUS_PER_TASK"};
  return contains(names, name) || name == "NCCL_SOCKET_IFNAME" || lint::is_looked_at(name);
}

}  // namespace

std::string first_line(const Surroundings& surroundings, std::string_view path) {
  return os::first_line(surroundings.root / path, max_line);
}

void add_line(const Surroundings& surroundings, std::string_view path, std::string_view name,
              Facts& facts) {
  const auto line = first_line(surroundings, path);
  if (!line.empty()) facts.set(name, line);
}

std::chrono::milliseconds time_for_child(const Surroundings& surroundings,
                                         std::chrono::milliseconds most) {
  constexpr std::chrono::milliseconds moment{200};
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(surroundings.deadline - Clock::now());
  return std::clamp(left, moment, most);
}

void add_lines(const std::string& lines, Facts& facts) {
  for (const auto line : text::split(lines, '\n')) {
    const auto equals = line.find('=');
    if (equals != std::string_view::npos)
      facts.set(line.substr(0, equals), line.substr(equals + 1));
  }
}

Facts gather(const Surroundings& surroundings) {
  Facts facts;
  for (const auto& [name, value] : surroundings.environment) {
    if (is_a_fact(name)) facts.set("env." + name, value);
  }
  add_host_facts(surroundings, facts);
  add_file_facts(surroundings, facts);
  add_network_facts(surroundings, facts);
  add_peer_facts(surroundings, facts);
  add_fabric_facts(surroundings, facts);
  add_gpu_facts(surroundings, facts);
  add_slurm_facts(surroundings, facts);
  add_command_facts(surroundings, facts);
  add_library_facts(surroundings, facts);
  add_variable_facts(surroundings, facts);
  return facts;
}

}  // namespace muster::doctor
