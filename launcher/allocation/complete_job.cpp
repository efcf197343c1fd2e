#include "launcher/allocation/complete_job.hpp"

#include "core/text/list.hpp"
#include "core/text/number.hpp"
#include "launcher/os/bounded_child.hpp"
#include "launcher/os/command_output.hpp"

#include <cstdint>
#include <filesystem>

#include <dlfcn.h>

namespace muster::allocation {
namespace {

constexpr std::chrono::milliseconds time_to_configure{2000};

// "PluginDir               = /usr/lib64/slurm"
std::string_view plugin_directories(std::string_view config) {
  for (const auto line : text::split(config, '\n')) {
    const auto equals = line.find("= ");
    if (line.starts_with("PluginDir ") && equals != std::string_view::npos) {
      return line.substr(equals + 2);
    }
  }
  return {};
}

// Of libslurm.so.42, of Slurm 24.11: the last one whose slurm_complete_job() is known to take the job's
// number. That of 26.05 takes a structure.
constexpr long last_version = 42;

// slurm_api_version(), slurm_init() and slurm_complete_job() of slurm.h.
bool tell_slurm(const std::string& library, std::uint32_t job, std::uint32_t wait_status) {
  void* const slurm = dlopen(library.c_str(), RTLD_LAZY | RTLD_GLOBAL);
  if (slurm == nullptr) return false;
  const auto version = reinterpret_cast<long (*)()>(dlsym(slurm, "slurm_api_version"));
  if (version == nullptr || (version() >> 16) > last_version) return false;
  const auto init = reinterpret_cast<void (*)(const char*)>(dlsym(slurm, "slurm_init"));
  const auto complete =
      reinterpret_cast<int (*)(std::uint32_t, std::uint32_t)>(dlsym(slurm, "slurm_complete_job"));
  if (complete == nullptr) return false;
  if (init != nullptr) init(nullptr);
  return complete(job, wait_status) == 0;
}

}  // namespace

std::string slurms_library(std::string_view config) {
  for (const auto directory : text::split(plugin_directories(config), ':')) {
    auto library = std::filesystem::path(directory) / "libslurmfull.so";
    std::error_code missing;
    if (!directory.empty() && std::filesystem::exists(library, missing)) return library;
  }
  return {};
}

bool complete_job(const std::string& job, int code, std::chrono::milliseconds timeout) {
  constexpr unsigned code_shift = 8;
  const auto number = text::number<std::uint32_t>(job);
  const auto library =
      slurms_library(os::command_output({"scontrol", "show", "config"}, time_to_configure));
  if (!number || library.empty()) return false;
  const auto wait_status = (static_cast<std::uint32_t>(code) & 0xffU) << code_shift;
  const auto done = os::answer_of_child(
      [&] { return tell_slurm(library, *number, wait_status) ? "done" : ""; }, timeout);
  return done == "done";
}

}  // namespace muster::allocation
