#include "launcher/attempts/job_end.hpp"

#include "launcher/allocation/complete_job.hpp"
#include "launcher/allocation/controller.hpp"
#include "launcher/allocation/hostless_job.hpp"
#include "launcher/os/command_output.hpp"

#include <cstdio>
#include <thread>

namespace muster::attempts {
namespace {

constexpr std::chrono::milliseconds time_to_end{10000};

}  // namespace

void end_job(const std::string& job, int code) {
  auto found = allocation::ask_hostless_job(job, "");
  if (!found && allocation::await_controller()) found = allocation::ask_hostless_job(job, "");
  if (!found || found->job.now.state != "RUNNING") return;
  std::fflush(nullptr);
  if (!allocation::complete_job(job, code, time_to_end)) {
    std::fprintf(
        stderr,
        "muster: job %s is cancelled, as nobody is left to end it otherwise; the exit code of "
        "the training job is %d\n",
        job.c_str(), code);
    os::run_command({"scancel", "--quiet", found->name}, {.timeout = time_to_end});
  }
  std::this_thread::sleep_for(time_to_be_ended);
}

}  // namespace muster::attempts
