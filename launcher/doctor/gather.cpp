#include "launcher/doctor/gather.hpp"

#include "core/text/list.hpp"
#include "launcher/os/small_file.hpp"

#include <algorithm>
#include <array>

namespace muster::doctor {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_names = 4096;
constexpr std::size_t max_line = 4096;

// No values of proxies: they may have passwords.
bool is_a_fact(std::string_view name) {
  constexpr std::array<std::string_view, 14> names{"LD_LIBRARY_PATH",
                                                   "PMIX_SECURITY_MODE",
                                                   "PMIX_MCA_psec",
                                                   "LANG",
                                                   "LC_ALL",
                                                   "FI_CXI_RDZV_PROTO",
                                                   "FI_MR_CACHE_MONITOR",
                                                   "SLURM_NETWORK",
                                                   "SLURM_JOB_ID",
                                                   "SLURM_STEP_ID",
                                                   "TMPDIR",
                                                   "SLURM_JOB_NODELIST",
                                                   "SLURM_CPUS_PER_TASK",
                                                   "SRUN_CPUS_PER_TASK"};
  return std::ranges::find(names, name) != names.end() || name.starts_with("NCCL_IB_") ||
         name == "NCCL_SOCKET_IFNAME";
}

}  // namespace

std::string first_line(const Surroundings& surroundings, std::string_view path) {
  auto text = os::small_file(surroundings.root / path, max_line);
  text.resize(std::min(text.find('\n'), text.size()));
  text.resize(text.find_last_not_of(" \t\r") + 1);
  return text;
}

void add_line(const Surroundings& surroundings, std::string_view path, std::string_view name,
              Facts& facts) {
  const auto line = first_line(surroundings, path);
  if (!line.empty()) facts.set(name, line);
}

std::string variable(const Surroundings& surroundings, std::string_view name) {
  const auto found = surroundings.environment.find(name);
  return found == surroundings.environment.end() ? std::string() : found->second;
}

std::chrono::milliseconds time_for_child(const Surroundings& surroundings,
                                         std::chrono::milliseconds most) {
  constexpr std::chrono::milliseconds moment{200};
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(surroundings.deadline - Clock::now());
  return std::clamp(left, moment, most);
}

std::vector<std::string> names_in(const fs::path& directory) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end;
       !error && entry != end && names.size() < max_names; entry.increment(error)) {
    names.push_back(entry->path().filename().string());
  }
  std::ranges::sort(names);
  return names;
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
  add_library_facts(surroundings, facts);
  return facts;
}

}  // namespace muster::doctor
