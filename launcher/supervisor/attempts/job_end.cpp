#include "launcher/supervisor/attempts/job_end.hpp"

#include "launcher/os/output.hpp"
#include "launcher/slurm/ask.hpp"
#include "launcher/slurm/complete_job.hpp"
#include "launcher/slurm/controller.hpp"
#include "launcher/slurm/orders.hpp"

#include <cstdio>
#include <thread>

#include <fmt/format.h>

namespace muster::attempts {
namespace {

constexpr std::chrono::milliseconds cancel_timeout{10000};

}  // namespace

void end_job(const std::string& job, int code) {
  auto found = slurm::ask_job(job, slurm::job_query_timeout);
  if (!found && slurm::await_controller()) found = slurm::ask_job(job, slurm::job_query_timeout);
  if (!found || found->state != "RUNNING") return;
  std::fflush(nullptr);
  if (!slurm::complete_job(job, code, cancel_timeout)) {
    os::say(os::Severity::warning,
            fmt::format("cancelling job {}, because it could not be ended in any other way; the "
                        "exit code of the run is {}",
                        job, code));
    slurm::cancel(found->task, cancel_timeout);
  }
  std::this_thread::sleep_for(job_end_timeout);
}

}  // namespace muster::attempts
