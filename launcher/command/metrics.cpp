// `muster metrics`: what the user's own running steps have cost so far, as text for Prometheus.
#include "core/metrics/text.hpp"
#include "core/text/quote.hpp"
#include "launcher/command/commands.hpp"
#include "launcher/command/usage_error.hpp"
#include "launcher/os/output.hpp"
#include "launcher/tools/status/ask_step.hpp"
#include "launcher/tools/status/find_steps.hpp"

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace muster::command {
namespace {

struct MetricsOptions {
  std::vector<std::string> words;
  bool openmetrics = false;
};

int run_metrics(const MetricsOptions& options) {
  if (options.words.size() > 1) {
    throw UsageError(fmt::format("muster metrics takes only one step; leave out {}",
                                 text::in_quotes(options.words[1])));
  }
  const auto steps = status::find_steps(options.words.empty() ? "" : options.words.front(), false,
                                        status::steps_now);
  const auto form = options.openmetrics ? metrics::Form::openmetrics : metrics::Form::prometheus;
  os::print(metrics::to_text(steps, form), "metrics");
  return EXIT_SUCCESS;
}

}  // namespace

Command metrics_command() {
  auto options = std::make_shared<MetricsOptions>();
  Command command("metrics", "print metrics of your running steps for Prometheus");
  command
      .flag("--openmetrics", options->openmetrics,
            "print OpenMetrics 1.0 (default: Prometheus text)")
      .takes("step", options->words,
             "JOB or JOB.STEP (default: the steps on this host, or your only job's)");
  return command.action([options] { return run_metrics(*options); });
}

}  // namespace muster::command
