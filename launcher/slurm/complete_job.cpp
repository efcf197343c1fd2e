#include "launcher/slurm/complete_job.hpp"

#include "core/text/number.hpp"
#include "launcher/os/bounded_child.hpp"
#include "launcher/slurm/ask.hpp"

#include <cstdint>
#include <filesystem>

#include <dlfcn.h>

namespace muster::slurm {
namespace {

constexpr std::chrono::milliseconds config_timeout{2000};

// What slurm_complete_job() takes. libslurm.so.42 belongs to Slurm 24.11 and 45 to 26.05; what the versions
// in between take is unknown.
constexpr long last_with_number = 42;
constexpr long first_with_step = 45;
constexpr long last_with_step = 45;

// slurm_step_id_t of slurm.h, as in libslurm.so.45. Slurm finds a job by its number if `sluid` is 0.
struct StepId {
  std::uint64_t sluid = 0;
  std::uint32_t job;
  std::uint32_t het_component = no_value;
  std::uint32_t step = no_value;

  static constexpr std::uint32_t no_value = 0xfffffffe;
};

bool call(void* complete, long version, std::uint32_t job, std::uint32_t wait_status) {
  if (version <= last_with_number) {
    return reinterpret_cast<int (*)(std::uint32_t, std::uint32_t)>(complete)(job, wait_status) == 0;
  }
  if (version < first_with_step || version > last_with_step) return false;
  StepId step{.job = job};
  return reinterpret_cast<int (*)(StepId*, std::uint32_t)>(complete)(&step, wait_status) == 0;
}

// slurm_api_version(), slurm_init() and slurm_complete_job() of slurm.h.
bool tell_slurm(const std::string& library, std::uint32_t job, std::uint32_t wait_status) {
  void* const slurm = dlopen(library.c_str(), RTLD_LAZY | RTLD_GLOBAL);
  if (slurm == nullptr) return false;
  const auto version = reinterpret_cast<long (*)()>(dlsym(slurm, "slurm_api_version"));
  const auto init = reinterpret_cast<void (*)(const char*)>(dlsym(slurm, "slurm_init"));
  void* const complete = dlsym(slurm, "slurm_complete_job");
  if (version == nullptr || complete == nullptr) return false;
  if (init != nullptr) init(nullptr);
  return call(complete, version() >> 16, job, wait_status);
}

}  // namespace

std::string slurms_library(const Config& config) {
  for (const auto& directory : config.plugin_directories()) {
    auto library = std::filesystem::path(directory) / "libslurmfull.so";
    std::error_code missing;
    if (std::filesystem::exists(library, missing)) return library;
  }
  return {};
}

bool complete_job(const std::string& job, int code, std::chrono::milliseconds timeout) {
  constexpr unsigned code_shift = 8;
  const auto number = text::number<std::uint32_t>(job);
  const auto library = slurms_library(ask_config(config_timeout).config.value_or(Config()));
  if (!number || library.empty()) return false;
  const auto wait_status = (static_cast<std::uint32_t>(code) & 0xffU) << code_shift;
  const auto done = os::answer_of_child(
      [&] { return tell_slurm(library, *number, wait_status) ? "done" : ""; }, timeout);
  return done == "done";
}

}  // namespace muster::slurm
