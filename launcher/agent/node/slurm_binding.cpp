#include "launcher/agent/node/slurm_binding.hpp"

#include <charconv>
#include <limits>
#include <string>
#include <utility>

namespace muster::node {
namespace {

// srun turns a hint into a --cpu-bind. Without a supervisor, nothing else shows whether the --cpu-bind is the
// user's own.
bool from_hint(const Environment& environment, const std::string& type) {
  const auto& hint = environment.get("SLURM_HINT");
  if (hint.find("multithread") != std::string::npos && type == "threads") return true;
  return hint.find("_bound") != std::string::npos && type == "cores";
}

// srun sets this variable for --cpu-bind, for the user's own SLURM_CPU_BIND, and for options that imply one.
std::string chosen_type(const Environment& environment) {
  auto type = environment.get("SLURM_CPU_BIND_TYPE");
  return from_hint(environment, type) ? "" : type;
}

// srun also turns these hints into --threads-per-core=1. It ignores any other hint in the variable if
// --threads-per-core is given.
bool leaves_one_thread(const std::string& hint) {
  return hint.find("nomultithread") != std::string::npos ||
         hint.find("_bound") != std::string::npos;
}

// Without -c srun gives each task one CPU.
std::size_t cpus_per_task(const Environment& environment) {
  const auto& text = environment.get("SLURM_CPUS_PER_TASK");
  std::size_t count = 1;
  std::from_chars(text.data(), text.data() + text.size(), count);
  return count;
}

}  // namespace

Environment with_sruns_line(Environment environment, const std::string& hint,
                            std::optional<bool> chose_cpu_bind) {
  // srun ignores both variables if its command line says otherwise.
  if (!hint.empty()) {
    environment.set("SLURM_HINT", hint);
    environment.unset("SLURM_THREADS_PER_CORE");
  }
  if (chose_cpu_bind) environment.unset(*chose_cpu_bind ? "SLURM_HINT" : "SLURM_CPU_BIND_TYPE");
  return environment;
}

bool user_bound_cpus(const Environment& environment) {
  const auto type = chosen_type(environment);
  return !type.empty() && type != "none";
}

option::Bind bind_of(const Environment& environment, option::Bind requested) {
  return chosen_type(environment) == "none" ? option::Bind::none : requested;
}

std::size_t max_threads(const Environment& environment) {
  const auto type = chosen_type(environment);
  if (type == "cores" || type == "threads") return cpus_per_task(environment);
  const bool shares = type.empty() || type == "none" || type == "sockets" || type == "ldoms";
  return shares ? std::numeric_limits<std::size_t>::max() : 0;
}

bool user_bound_memory(const Environment& environment) {
  return !environment.get("SLURM_MEM_BIND_TYPE").empty();
}

request::Request with_slurms_threads(request::Request request, const site::Config& config,
                                     const Environment& environment) {
  const auto& hint = environment.get("SLURM_HINT");
  if (environment.get("SLURM_THREADS_PER_CORE") == "1" && !leaves_one_thread(hint))
    return with_one_thread_per_core(std::move(request), config.policy);
  return with_hint(std::move(request), hint, config.policy);
}

}  // namespace muster::node
