// `muster dump`: shows what all ranks of a step are doing right now.
#include "core/dump/json.hpp"
#include "core/dump/ranks.hpp"
#include "core/dump/text.hpp"
#include "core/error.hpp"
#include "core/text/quote.hpp"
#include "launcher/command/commands.hpp"
#include "launcher/command/usage_error.hpp"
#include "launcher/os/output.hpp"
#include "launcher/site/installed.hpp"
#include "launcher/site/site.hpp"
#include "launcher/tools/dump/dump_files.hpp"
#include "launcher/tools/dump/dump_step.hpp"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace muster::command {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds time_of_squeue{5000};
constexpr milliseconds dump_timeout{10000};
constexpr milliseconds time_with_native{60000};

struct DumpOptions {
  std::vector<std::string> step;
  std::string ranks;
  std::string output;
  std::chrono::seconds seconds{0};
  bool native = false;
  bool by_signal = false;
  bool json = false;
};

// Defaults to the job in which this command runs.
std::string step_name(const DumpOptions& options) {
  if (options.step.size() > 1) {
    throw UsageError(fmt::format("muster dump takes only one step; leave out {}",
                                 text::in_quotes(options.step[1])));
  }
  if (!options.step.empty()) return options.step.front();
  const char* const job = std::getenv("SLURM_JOB_ID");
  return job == nullptr ? "" : job;
}

milliseconds time_limit(const DumpOptions& options) {
  if (options.seconds > max_time) throw UsageError("--seconds must be at most 1h");
  if (options.seconds.count() > 0) return options.seconds;
  return options.native ? time_with_native : dump_timeout;
}

// Returns where the files are. If they cannot be written, the screen output still helps.
std::string write_files(const dump::Dump& dump, const DumpOptions& options) {
  auto directory = options.output.empty() ? dump::usual_directory(dump) : options.output;
  try {
    dump::write_files(dump, directory);
    return directory;
  } catch (const Error& error) {
    os::say(os::Severity::warning, error.what());
    return {};
  }
}

int run_dump(const DumpOptions& options) {
  dump::DumpOrder order;
  order.ranks = dump::ranks_of(options.ranks);
  order.timeout = time_limit(options);
  order.step = dump::find_step(step_name(options), time_of_squeue);
  order.native = options.native;
  if (options.by_signal) order.signal = dump::SignalUse::only;
  order.program = site::installed_program();
  if (options.by_signal) {
    os::say(os::Severity::warning,
            "--signal interrupts the ranks: a sleep or a poll may end early");
  }
  if (options.native)
    os::say(os::Severity::warning,
            "--native pauses one rank of each group while muster reads its stack");
  const auto dump = dump::take_dump(order, site::current_environment());
  const auto place = options.json ? std::string() : write_files(dump, options);
  os::print(options.json ? to_json(dump) : screen(dump, place), "dump");
  return EXIT_SUCCESS;
}

}  // namespace

Command dump_command() {
  auto options = std::make_shared<DumpOptions>();
  Command command(
      "dump",
      "show what every rank of a running step is doing, and which rank the others wait for");
  command.value("--ranks", options->ranks, "only these ranks, such as 0-7,12")
      .flag("--native", options->native,
            "also show C/C++ frames for one rank of each group (pauses that rank)")
      .flag("--signal", options->by_signal,
            "get Python stacks only with a signal, which may interrupt a sleep or poll")
      .value("--output", options->output,
             "directory for all stacks (default: one in the logs= directory, or "
             "muster-dump-STEP-TIME)")
      .time("--seconds", options->seconds,
            "time limit for the nodes to answer (default 10s, with --native 1m)")
      .flag("--json", options->json, "print JSON (format version 1), and write no files")
      .takes("step", options->step, "JOB or JOB.STEP (default: your running step)");
  return command.action([options] { return run_dump(*options); });
}

}  // namespace muster::command
