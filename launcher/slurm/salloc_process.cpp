#include "launcher/slurm/salloc_process.hpp"

#include "core/slurm/squeue.hpp"
#include "core/text/amounts.hpp"
#include "launcher/os/command_output.hpp"

#include <chrono>
#include <csignal>
#include <fstream>
#include <optional>

#include <fmt/format.h>
#include <unistd.h>

namespace muster::slurm {
namespace {

// The first child of a process's main thread.
std::optional<pid_t> child_of(pid_t process) {
  std::ifstream file(fmt::format("/proc/{0}/task/{0}/children", process));
  pid_t child = 0;
  if (file >> child) return child;
  return std::nullopt;
}

// `env`, which starts salloc without its own variables, then becomes salloc.
std::optional<pid_t> inner_supervisor() {
  const auto salloc = child_of(getpid());
  return salloc ? child_of(*salloc) : std::nullopt;
}

}  // namespace

std::string waiting_text(std::optional<std::uint32_t> nodes, std::string_view job) {
  return fmt::format("waiting for {}{}; Ctrl-C cancels",
                     nodes ? text::count(*nodes, "node") : "nodes",
                     job.empty() ? "" : fmt::format(" (job {})", job));
}

Ended run_salloc(const std::vector<std::string>& command, std::optional<std::uint32_t> nodes,
                 const std::function<void(const std::string& line)>& say) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::seconds wait_before_saying{2};
  constexpr std::chrono::seconds query_timeout{2};
  auto say_at = std::optional(Clock::now() + wait_before_saying);
  SrunHooks hooks;
  hooks.next = [&say_at] { return say_at; };
  hooks.act = [&](pid_t /*salloc*/) {
    if (!say_at || Clock::now() < *say_at) return;
    say_at.reset();
    if (inner_supervisor()) return;
    const auto jobs = os::run_command(
        {"squeue", "--me", "--noheader", "--states=PENDING", "--Format=JobID:20,AllocSID:20"},
        {.timeout = query_timeout, .max_bytes = max_squeue_bytes});
    say(waiting_text(nodes, jobs.succeeded
                                ? waiting_job(jobs.output, static_cast<std::uint32_t>(getsid(0)))
                                : ""));
  };
  hooks.takes = [](int signal) {
    const auto supervisor = inner_supervisor();
    return supervisor && kill(*supervisor, signal) == 0;
  };
  return run_srun(command, hooks);
}

}  // namespace muster::slurm
