#include "launcher/hang/watchdog.hpp"

#include "core/error.hpp"
#include "core/hang/text.hpp"
#include "launcher/dump/dump_files.hpp"
#include "launcher/site/installed.hpp"
#include "launcher/site/site.hpp"

#include <exception>
#include <utility>

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>

namespace muster::hang {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds time_of_dump{20'000};

std::string unseen_text(const Judge& judge) {
  const auto& nodes = judge.unseen();
  if (nodes.empty()) return "hang= does not see what srun prints (/proc), and notices no hang";
  const auto more = nodes.size() - 1;
  return fmt::format(
      "hang= sees nothing of {}{}: no muster-agent answers there, and no hang is noticed",
      nodes.front().empty() ? "a node" : nodes.front(),
      more == 0 ? "" : fmt::format(" and {} more", more));
}

}  // namespace

Watchdog::Watchdog(const option::Hang& rule, WatchdogHooks hooks)
    : rule_(rule),
      interval_(interval_for(rule.limit)),
      hooks_(std::move(hooks)),
      stops_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!stops_) throw Error("hang= cannot watch the step: no descriptor is left; raise `ulimit -n`");
}

Watchdog::~Watchdog() {
  if (!thread_.joinable()) return;
  eventfd_write(stops_.get(), 1);
  thread_.join();
}

void Watchdog::start() {
  thread_ = std::thread([this] {
    try {
      run();
    } catch (const std::exception& error) {
      hooks_.say(fmt::format("hang= no longer watches the step: {}", error.what()));
    }
  });
}

bool Watchdog::is_stopped(milliseconds within) const {
  pollfd stops{stops_.get(), POLLIN, 0};
  return poll(&stops, 1, static_cast<int>(within.count())) > 0;
}

// The dump itself moves bytes, and wakes ranks.
void Watchdog::run() {
  Judge judge({.silence = rule_.limit, .interval = interval_});
  while (!is_stopped(std::chrono::ceil<milliseconds>(interval_))) {
    const auto state = judge.take(hooks_.look());
    act(state, judge);
    if (state == State::hangs) judge.skip();
  }
}

void Watchdog::act(State state, const Judge& judge) const {
  if (state == State::unseen) hooks_.say(unseen_text(judge));
  if (state != State::hangs) return;
  const auto now = std::chrono::system_clock::now();
  const auto finding = find(judge.silence());
  if (is_stopped(milliseconds(0))) return;  // the step has ended meanwhile
  auto text = line(rule_, judge.silence(), now, finding.found);
  if (!finding.place.empty()) text += "; all stacks: " + finding.place;
  hooks_.say(text);
  if (rule_.restart) hooks_.end(finding);
}

Finding Watchdog::find(std::chrono::nanoseconds silence) const {
  Finding finding{.since = steady_clock::now() -
                           std::chrono::duration_cast<steady_clock::duration>(silence)};
  try {
    describe(finding);
  } catch (const std::exception& error) {
    finding.found += (finding.found.empty() ? "" : "; ") + std::string(error.what());
  }
  return finding;
}

// By signal where tracing is refused: nothing moves that it could disturb, and else nobody would learn who
// holds the others up.
void Watchdog::describe(Finding& finding) const {
  const auto dump = dump::take_dump({.step = hooks_.step(),
                                     .by_signal = true,
                                     .timeout = time_of_dump,
                                     .program = site::installed_program(),
                                     .interrupt = stops_.get()},
                                    site::current_environment());
  if (is_stopped(milliseconds(0))) return;
  finding.found = suspects(dump);
  finding.node = suspected_node(dump);
  const auto place = dump::usual_directory(dump);
  dump::write_files(dump, place);
  finding.place = place;
}

}  // namespace muster::hang
