#include "core/page/advice.hpp"

#include "core/contains.hpp"
#include "core/report/exit_status.hpp"

#include <array>
#include <csignal>

#include <fmt/format.h>

namespace muster::page {
namespace {

using report::Cause;
using report::Report;

std::string job_of(const Report& report) {
  if (report.attempts.empty()) return {};
  const auto& step = report.attempts.back().step;
  return step.substr(0, step.find('.'));
}

std::string of_program(const Report& report) {
  if (report.first && report.first->end.exception) {
    return "Read the traceback below: it names what to fix. Then start the run again.";
  }
  return "Read the last lines of that rank's standard error below. With `import muster` or "
         "torch's @record in the program, the next report includes the traceback.";
}

bool is_crash(int signal) {
  constexpr std::array crashes{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};
  return contains(crashes, signal);
}

std::string of_signal(const Report& report) {
  const auto signal =
      report.first ? report::end_signal(report.first->end.wait_status) : std::nullopt;
  if (!signal || !is_crash(*signal)) {
    return "The signal did not come from muster. Find out who else uses the node, and whether its "
           "kernel killed the process because memory ran out: `dmesg`, `journalctl -k`.";
  }
  if (report::has_core_file(report.first->end.wait_status)) {
    return "The program crashed. Open its core file in a debugger, and read the stack below.";
  }
  return "The program crashed. Read the stack below; `ulimit -c unlimited` keeps a core file the next time.";
}

std::string of_node(const Report& report) {
  const auto name =
      report.lost_nodes.empty() ? std::string("that node") : report.lost_nodes.front().node;
  return fmt::format(
      "Tell your administrators about {}. With restarts= and spares=, a run continues without "
      "a lost node.",
      name);
}

std::string of_time_limit() {
  return "Ask for more time (--time), or let the run continue in the next job: requeue= and stop=.";
}

std::string of_slurm(const Report& report) {
  if (report.without_slurm) return "Read what the run printed on its terminal.";
  const auto job = job_of(report);
  return fmt::format("Ask Slurm why: `sacct -j {}`.", job.empty() ? "JOB" : job);
}

std::string of_hang(const Report& report) {
  if (!report.hang || report.hang->dump.empty())
    return "The next time the run hangs, dump its stacks with `muster dump`.";
  return fmt::format("Read the stacks of all ranks in {}.", report.hang->dump);
}

std::string of_cause(const Report& report) {
  switch (report.cause.value_or(Cause::slurm)) {
    case Cause::program:
      return of_program(report);
    case Cause::signal:
      return of_signal(report);
    case Cause::out_of_memory:
      return "Ask for more memory (--mem), or use less of it: a smaller batch, fewer DataLoader workers, "
             "fewer ranks "
             "on a node.";
    case Cause::node:
      return of_node(report);
    case Cause::slurm:
      return of_slurm(report);
    case Cause::user:
      return "Nothing, if you stopped the run yourself.";
    case Cause::time_limit:
      return of_time_limit();
    case Cause::preemption:
      return "Submit the job again, or let requeue= do that.";
    case Cause::launch:
      return "Read what srun and muster printed, then run `muster doctor` to check the site for problems.";
    case Cause::hang:
      return of_hang(report);
  }
  return {};
}

}  // namespace

std::string advice(const Run& run) {
  if (run.folders.back().damaged) {
    return "The run's report.json cannot be read. The terminal, or the batch job's output, shows "
           "the same report.";
  }
  if (is_open(run)) {
    return "`muster status` shows a run in progress; make this page again when the run is over. "
           "If nothing is running anymore, the supervisor was killed, or there was none "
           "(supervise=off): then only the ranks' files show what happened.";
  }
  const auto& report = run.folders.back().report->report;
  if (report.result != report::Result::ok) return of_cause(report);
  return report.attempts.size() > 1
             ? "Nothing. The run recovered by itself; see below why earlier attempts ended."
             : "Nothing.";
}

}  // namespace muster::page
