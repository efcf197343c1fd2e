// Libraries that programs and Slurm's plugins load. Each is opened in a child, because its initialisation
// code may do anything.
#include "core/text/list.hpp"
#include "launcher/os/bounded_child.hpp"
#include "launcher/os/small_file.hpp"
#include "launcher/slurm/pmix_library.hpp"
#include "launcher/slurm/slurm_mpi.hpp"
#include "launcher/tools/doctor/gather.hpp"

#include <algorithm>
#include <set>

#include <dlfcn.h>
#include <fmt/format.h>

namespace muster::doctor {
namespace {

// Opens a library that the user's programs would find. For those, LD_LIBRARY_PATH comes first, but for muster
// its own libraries' folders do: see cmake/MusterLibraryPath.cmake.
void* open_library(const Surroundings& surroundings, const std::string& name) {
  for (const auto folder : text::split(surroundings.environment.get("LD_LIBRARY_PATH"), ':')) {
    if (!folder.starts_with('/') || name.find('/') != std::string::npos) continue;
    const auto file = fmt::format("{}/{}", folder, name);
    if (auto* const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) return handle;
  }
  return dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
}

bool can_load(const Surroundings& surroundings, const std::string& name) {
  return open_library(surroundings, name) != nullptr;
}

// If a child does not answer, that indicates neither health nor a fault.
void add_answer(const Surroundings& surroundings, const std::string& name,
                const std::function<std::string()>& work, Facts& facts) {
  const auto answer = os::answer_of_child(work, time_for_child(surroundings));
  if (answer && !answer->empty()) facts.set(name, *answer);
}

// NCCL accepts a name or a path; the EFA installer has called its plugin "ofi" and "aws-ofi".
bool has_net_plugin(const Surroundings& surroundings) {
  const auto has = [&](const std::string& name) { return can_load(surroundings, name); };
  const auto& named = surroundings.environment.get("NCCL_NET_PLUGIN");
  if (!named.empty()) return has(named) || has(fmt::format("libnccl-net-{}.so", named));
  return has("libnccl-net.so") || has("libnccl-net-ofi.so") || has("libnccl-net-aws-ofi.so");
}

// Opens NCCL where the loader looks, or in the active Python environment, from which torch loads its own
// copy.
void* nccl_handle(const Surroundings& surroundings) {
  if (auto* const handle = open_library(surroundings, "libnccl.so.2")) return handle;
  for (const auto* const name : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    const auto& prefix = surroundings.environment.get(name);
    if (!prefix.starts_with('/')) continue;
    const auto lib = below(surroundings, prefix) / "lib";
    for (const auto& python : names_in(lib)) {
      if (!python.starts_with("python3")) continue;
      const auto file = lib / python / "site-packages/nvidia/nccl/lib/libnccl.so.2";
      if (auto* const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) return handle;
    }
    if (auto* const handle = dlopen((lib / "libnccl.so.2").c_str(), RTLD_NOW | RTLD_LOCAL))
      return handle;
  }
  return nullptr;
}

std::string nccl_version(const Surroundings& surroundings) {
  auto* const handle = nccl_handle(surroundings);
  if (handle == nullptr) return "";
  auto* const ask = reinterpret_cast<int (*)(int*)>(dlsym(handle, "ncclGetVersion"));
  int version = 0;
  return ask != nullptr && ask(&version) == 0 ? fmt::to_string(version) : "";
}

std::optional<std::string> version_of(const std::string& library) {
  auto* const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return std::nullopt;
  auto* const ask = reinterpret_cast<const char* (*)()>(dlsym(handle, "PMIx_Get_version"));
  return ask == nullptr ? "of an unknown version" : ask();
}

std::string pmix_version(const std::string& plugin) {
  for (const auto& library : slurm::libpmix_of(plugin)) {
    if (auto version = version_of(library)) return *version;
  }
  return "missing";
}

// "OpenPMIx 4.2.2, repo rev: ..., package: ..., Open MPI" is truncated at its first comma.
std::string without_details(const std::string& version) {
  return version.substr(0, version.find(','));
}

void add_pmix(const Surroundings& surroundings, const std::filesystem::path& directory,
              Facts& facts) {
  const auto has = slurm::has_pmix_in(directory);
  if (!has) return;
  facts.set("pmix.plugin", *has ? "yes" : "no");
  const auto plugin = slurm::pmix_plugin_in(directory);
  if (slurm::libpmix_of(plugin).empty()) return;
  add_answer(
      surroundings, "pmix.library", [&] { return without_details(pmix_version(plugin)); }, facts);
}

std::string foreign_libraries(const Surroundings& surroundings, const std::string& path) {
  std::string lines;
  for (const auto directory : text::split(path, ':')) {
    if (!directory.starts_with('/')) continue;
    const auto folder = below(surroundings, std::string(directory));
    const auto has = [&folder](const char* name) {
      std::error_code unknown;
      return std::filesystem::exists(folder / name, unknown);
    };
    // The first one is what programs load.
    if (lines.find("pmix.in_path=") == std::string::npos &&
        (has("libpmix.so") || has("libpmix.so.2")))
      lines += fmt::format("pmix.in_path={}\n", directory);
    // NGC's images always name this directory, but fill it only if it is needed.
    if (directory.find("/compat") != std::string_view::npos && has("libcuda.so.1"))
      lines += fmt::format("cuda.compat={}\n", directory);
  }
  return lines;
}

// In a child, because its directories may be on a server that is gone. From the environment, because the
// fact's value may have been truncated.
void add_foreign(const Surroundings& surroundings, Facts& facts) {
  const auto& path = surroundings.environment.get("LD_LIBRARY_PATH");
  const auto lines = os::answer_of_child([&] { return foreign_libraries(surroundings, path); },
                                         time_for_child(surroundings));
  if (!lines) return;
  facts.set("library_path", "read");
  add_lines(*lines, facts);
  const auto folder = below(surroundings, facts.text("pmix.in_path"));
  if (!facts.has("pmix.in_path")) return;
  add_answer(
      surroundings, "pmix.path_version",
      [&] {
        auto version = version_of(folder / "libpmix.so.2");
        if (!version) version = version_of(folder / "libpmix.so");
        return without_details(version.value_or(""));
      },
      facts);
}

}  // namespace

void add_library_facts(const Surroundings& surroundings, Facts& facts) {
  const auto directory = surroundings.plugin_directory.empty() ? facts.text("slurm.PluginDir")
                                                               : surroundings.plugin_directory;
  if (!directory.empty()) add_pmix(surroundings, below(surroundings, directory), facts);
  add_foreign(surroundings, facts);
  add_answer(
      surroundings, "nccl.version", [&] { return nccl_version(surroundings); }, facts);
  if (facts.has("gpu.driver"))
    add_answer(
        surroundings, "libcuda",
        [&] { return std::string(can_load(surroundings, "libcuda.so.1") ? "yes" : "no"); }, facts);
  if (facts.count("efa.devices") == 0) return;
  add_answer(
      surroundings, "nccl.net_plugin",
      [&] { return std::string(has_net_plugin(surroundings) ? "yes" : "no"); }, facts);
}

}  // namespace muster::doctor
