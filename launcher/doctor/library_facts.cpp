// Libraries that programs and Slurm's plugins load. Each is opened in a child: its start may do anything.
#include "core/text/list.hpp"
#include "launcher/doctor/gather.hpp"
#include "launcher/os/bounded_child.hpp"
#include "launcher/os/small_file.hpp"
#include "launcher/supervise/slurm_mpi.hpp"

#include <algorithm>
#include <set>

#include <dlfcn.h>
#include <fmt/format.h>

namespace muster::doctor {
namespace {

constexpr std::size_t max_plugin = std::size_t{8} << 20;

bool can_load(const char* name) {
  return dlopen(name, RTLD_NOW | RTLD_LOCAL) != nullptr;
}

std::string answer(const std::function<std::string()>& work) {
  return os::answer_of_child(work, child_timeout).value_or("no answer");
}

std::string nccl_version() {
  auto* const handle = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return "";
  auto* const ask = reinterpret_cast<int (*)(int*)>(dlsym(handle, "ncclGetVersion"));
  int version = 0;
  return ask != nullptr && ask(&version) == 0 ? fmt::to_string(version) : "";
}

// Slurm's plugin has the directory of its library, or the library's path, as a text.
std::set<std::string> libraries_in(const std::string& plugin) {
  std::set<std::string> found{"libpmix.so.2"};
  constexpr std::string_view word = "pmix";
  for (std::size_t at = plugin.find(word); at != std::string::npos;
       at = plugin.find(word, at + 1)) {
    const auto begin = plugin.rfind('\0', at) + 1;
    auto text = std::string(plugin.c_str() + begin);
    if (!text.starts_with('/') || text.find(' ') != std::string::npos) continue;
    found.insert(text.find(".so") == std::string::npos ? text + "/libpmix.so.2" : text);
  }
  return found;
}

std::string pmix_version(const std::string& plugin) {
  for (const auto& library : libraries_in(plugin)) {
    auto* const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) continue;
    auto* const ask = reinterpret_cast<const char* (*)()>(dlsym(handle, "PMIx_Get_version"));
    return ask == nullptr ? "of an unknown version" : ask();
  }
  return "missing";
}

// "OpenPMIx 4.2.2, repo rev: ..., package: ..., Open MPI" is cut at its first comma.
void add_pmix(const std::filesystem::path& directory, Facts& facts) {
  const auto has = supervise::has_pmix_in(directory);
  if (!has) return;
  facts.set("pmix.plugin", *has ? "yes" : "no");
  for (const auto& name : names_in(directory)) {
    if (!name.starts_with("mpi_pmix") || !name.ends_with(".so")) continue;
    const auto plugin = os::small_file(directory / name, max_plugin);
    auto version = answer([&] { return pmix_version(plugin); });
    facts.set("pmix.library", version.substr(0, version.find(',')));
    return;
  }
}

void add_foreign_pmix(const Surroundings& surroundings, Facts& facts) {
  const auto path = facts.text("env.LD_LIBRARY_PATH");
  for (const auto directory : text::split(path, ':')) {
    if (!directory.starts_with('/')) continue;
    for (const auto& name : names_in(below(surroundings, std::string(directory)))) {
      if (name.starts_with("libpmix.so")) facts.set("pmix.in_path", directory);
    }
  }
}

}  // namespace

void add_library_facts(const Surroundings& surroundings, Facts& facts) {
  const auto directory = surroundings.plugin_directory.empty() ? facts.text("slurm.PluginDir")
                                                               : surroundings.plugin_directory;
  if (!directory.empty()) add_pmix(below(surroundings, directory), facts);
  add_foreign_pmix(surroundings, facts);
  const auto nccl = answer(nccl_version);
  if (!nccl.empty()) facts.set("nccl.version", nccl);
  if (facts.has("gpu.driver"))
    facts.set("libcuda",
              answer([] { return std::string(can_load("libcuda.so.1") ? "yes" : "no"); }));
  if (facts.count("efa.devices") > 0)
    facts.set("nccl.net_plugin",
              answer([] { return std::string(can_load("libnccl-net.so") ? "yes" : "no"); }));
}

}  // namespace muster::doctor
