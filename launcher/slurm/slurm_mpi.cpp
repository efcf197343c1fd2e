#include "launcher/slurm/slurm_mpi.hpp"

#include "launcher/os/command_output.hpp"

#include <chrono>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace muster::slurm {
namespace {

constexpr std::chrono::seconds srun_timeout{10};

bool is_plugin(const std::string& name, std::string_view kind) {
  return name.starts_with(kind) && name.ends_with(".so");
}

}  // namespace

std::optional<bool> has_pmix_in(const std::string& plugin_directory) {
  std::optional<bool> found;
  std::error_code unreadable;
  for (std::filesystem::directory_iterator entry(plugin_directory, unreadable), end;
       !unreadable && entry != end; entry.increment(unreadable)) {
    const auto name = entry->path().filename().string();
    if (is_plugin(name, "mpi_pmix")) return true;
    if (is_plugin(name, "mpi_")) found = false;
  }
  return found;
}

bool has_pmix(const std::string& srun) {
  // One plugin name per line; "pmix" or "pmix_v4" is among them if there is PMIx.
  return os::command_output({srun, "--mpi=list"}, srun_timeout).find("pmix") != std::string::npos;
}

// "openmpi" is an old word for "none". Empty: unknown.
bool leaves_mpi_open(std::string_view mpi_default) {
  return mpi_default.empty() || mpi_default == "none" || mpi_default == "openmpi";
}

}  // namespace muster::slurm
