// `muster status`: shows the current progress of one of the user's own steps.
#include "core/error.hpp"
#include "core/status/json.hpp"
#include "core/status/text.hpp"
#include "core/text/quote.hpp"
#include "launcher/command/commands.hpp"
#include "launcher/command/usage_error.hpp"
#include "launcher/os/output.hpp"
#include "launcher/tools/status/ask_step.hpp"
#include "launcher/tools/status/find_steps.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

namespace muster::command {
namespace {

using status::Step;

constexpr std::chrono::seconds interval{2};

struct StatusOptions {
  std::vector<std::string> words;
  bool json = false;
  bool watch = false;
  bool here = false;
};

std::string named_step(const StatusOptions& options) {
  if (options.words.size() > 1) {
    throw UsageError(fmt::format("muster status takes only one step; leave out {}",
                                 text::in_quotes(options.words[1])));
  }
  return options.words.empty() ? "" : options.words.front();
}

// Inside a job: the steps of that job.
std::string meant_step(const StatusOptions& options) {
  const auto named = named_step(options);
  const char* const job = std::getenv("SLURM_JOB_ID");
  return named.empty() && job != nullptr ? job : named;
}

std::vector<Step> find_steps(const std::string& asked, bool here, const std::vector<Step>& before) {
  return status::find_steps(asked, here, [&before](const auto& name, const auto& environment) {
    return status::steps_here(name, environment, before);
  });
}

std::string text_of(const std::vector<Step>& steps, bool json) {
  if (json) return to_json(steps);
  std::string text;
  for (const auto& step : steps) {
    if (!text.empty()) text += '\n';
    text += to_text(step, {os::wants_color(stdout)});
  }
  return text;
}

bool redraws() {
  const char* const terminal = std::getenv("TERM");
  return isatty(STDOUT_FILENO) != 0 && terminal != nullptr && std::string(terminal) != "dumb";
}

// Runs until the step ends or the user stops it.
int watch(const std::string& name, const StatusOptions& options) {
  std::vector<Step> steps = find_steps(name, options.here, {});
  while (true) {
    const auto* const clear = redraws() && !options.json ? "\033[H\033[2J" : "";
    os::print(clear + text_of(steps, options.json), "status");
    std::this_thread::sleep_for(interval);
    try {
      steps = find_steps(name, options.here, steps);
    } catch (const Error& error) {
      os::say(os::Severity::progress, error.what());
      return EXIT_SUCCESS;
    }
  }
}

int show(const std::string& name, const StatusOptions& options) {
  if (options.watch) return watch(name, options);
  os::print(text_of(find_steps(name, options.here, {}), options.json), "status");
  return EXIT_SUCCESS;
}

int run_status(const StatusOptions& options) {
  const auto name = meant_step(options);
  if (!options.words.empty() || name.empty()) return show(name, options);
  try {
    return show(name, options);
  } catch (const Error& error) {
    // A shell may still have this variable from a job that ended long ago.
    throw Error(fmt::format("{} (SLURM_JOB_ID={} is set here; for another job: muster status JOB)",
                            error.what(), text::printable(name)));
  }
}

}  // namespace

Command status_command() {
  auto options = std::make_shared<StatusOptions>();
  Command command("status", "show the progress of your running step");
  command.flag("--json", options->json, "print JSON (format version 1)")
      .flag("--watch", options->watch, "refresh every two seconds until the step ends")
      .flag("--here", options->here, "")
      .takes("step", options->words,
             "JOB or JOB.STEP (default: the steps on this host, or your only job's)");
  return command.action([options] { return run_status(*options); });
}

}  // namespace muster::command
