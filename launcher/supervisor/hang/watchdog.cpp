#include "launcher/supervisor/hang/watchdog.hpp"

#include "core/error.hpp"
#include "core/hang/text.hpp"
#include "core/text/quote.hpp"
#include "launcher/site/installed.hpp"
#include "launcher/site/site.hpp"
#include "launcher/tools/dump/dump_files.hpp"

#include <cstring>
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
// A file system that hangs delays neither the warning nor the end of the step.
constexpr milliseconds find_logs_timeout{1000};
constexpr milliseconds write_timeout{5000};
constexpr milliseconds write_interval{20};
constexpr milliseconds finish_timeout{2000};  // for finishing the files, once the step has ended
constexpr int max_looks_again = 3;

std::string unseen_text(const Judge& judge) {
  const auto& nodes = judge.unseen();
  if (nodes.empty())
    return "hang= cannot see what srun prints, because /proc does not show it; "
           "for now, it will not notice a hang";
  const auto more = nodes.size() - 1;
  const auto& [node, starting] = nodes.front();
  return fmt::format(
      "hang= cannot watch {}{}: {}; for now, it will not notice a hang",
      node.empty() ? "a node" : node, more == 0 ? "" : fmt::format(" and {} more", more),
      starting ? "the ranks there have not started" : "no muster-agent answers there");
}

}  // namespace

Watchdog::Watchdog(const option::Hang& rule, WatchdogHooks hooks)
    : rule_(rule),
      interval_(interval_for(rule.limit)),
      hooks_(std::move(hooks)),
      stops_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!stops_)
    throw Error("hang= cannot watch the step: no file descriptors are left; raise `ulimit -n`");
}

Watchdog::~Watchdog() {
  if (!thread_.joinable()) return;
  eventfd_write(stops_.get(), 1);
  thread_.join();
  // The user has been told where the dump is, so it should be complete.
  if (writer_) writer_->wait_until(steady_clock::now() + finish_timeout);
}

void Watchdog::start() {
  thread_ = std::thread([this] {
    try {
      run();
    } catch (const std::exception& error) {
      hooks_.say(text::Severity::warning,
                 fmt::format("hang= no longer watches the step: {}", error.what()));
    }
  });
}

bool Watchdog::is_stopped(milliseconds within) const {
  pollfd stops{stops_.get(), POLLIN, 0};
  return poll(&stops, 1, static_cast<int>(within.count())) > 0;
}

void Watchdog::run() {
  Judge judge({.silence = rule_.limit, .interval = interval_});
  while (!is_stopped(std::chrono::ceil<milliseconds>(interval_))) {
    auto sample = hooks_.look();
    rendezvous_ = sample.rendezvous;
    const auto state = judge.take(std::move(sample));
    note(state);
    if (state == State::unseen) hooks_.say(text::Severity::warning, unseen_text(judge));
    if (state == State::hangs) act(judge);
  }
}

void Watchdog::note(State state) {
  if (state != State::moves) moving_since_.reset();
  if (state != State::moves || !reported_) return;
  const auto now = steady_clock::now();
  if (!moving_since_) moving_since_ = now;
  if (now - *moving_since_ < hooks_.time_to_be_over) return;
  reported_ = false;
  hooks_.moved();
}

void Watchdog::act(Judge& judge) {
  const auto now = std::chrono::system_clock::now();
  const Silence silence{.time = judge.silence(), .by_collectives = judge.by_collectives()};
  const auto finding = find(silence.time);
  if (is_stopped(milliseconds(0))) return;  // the step has ended in the meantime
  auto text = line(rule_, silence, now, finding.found);
  if (!finding.place.empty()) text += "; all stacks: " + finding.place;
  hooks_.say(text::Severity::warning, text);
  reported_ = true;
  hooks_.found(finding);
  judge.take_after_dump(hooks_.look());
  if (!rule_.restart) return;
  if (judge.silence() > std::chrono::nanoseconds(0) && still_hangs(judge)) {
    return hooks_.end(finding);
  }
  if (!is_stopped(milliseconds(0))) hooks_.say(text::Severity::progress, moved_again_text(rule_));
}

// Judges by all signs again, from the end of the dump on. Repeats a check that sees too little. If a node
// does not answer again, that is not a sign of life.
bool Watchdog::still_hangs(Judge& judge) const {
  for (int look = 0; look < max_looks_again; ++look) {
    if (is_stopped(std::chrono::ceil<milliseconds>(interval_))) return false;
    const auto before = judge.silence();
    judge.take(hooks_.look());
    if (judge.silence() == std::chrono::nanoseconds(0)) return false;
    if (judge.silence() > before) return true;
  }
  return true;
}

Finding Watchdog::find(std::chrono::nanoseconds silence) {
  Finding finding{.since = steady_clock::now() -
                           std::chrono::duration_cast<steady_clock::duration>(silence)};
  try {
    describe(finding);
  } catch (const std::exception& error) {
    finding.found += (finding.found.empty() ? "" : "; ") + std::string(error.what());
  }
  return finding;
}

// A rank that spins in C code is sent the signal as well if nothing else gives its stack: nothing is running
// that it could disturb, and otherwise it would remain unknown which rank is holding up the others.
void Watchdog::describe(Finding& finding) {
  const auto dump = dump::take_dump({.step = hooks_.step(),
                                     .signal = dump::SignalUse::hung,
                                     .timeout = time_of_dump,
                                     .program = site::installed_program(),
                                     .interrupt = stops_.get()},
                                    site::current_environment());
  if (is_stopped(milliseconds(0))) return;
  finding.found = with_rendezvous(rendezvous_, suspects(dump));
  finding.node = suspected_node(dump);
  finding.place = write(dump, dump::usual_directory(dump, find_logs_timeout));
}

// Returns where the files are. Throws Error if they cannot be written.
std::string Watchdog::write(const dump::Dump& dump, const std::string& place) {
  writer_.emplace(dump::file_writer(dump, place));
  const auto deadline = steady_clock::now() + write_timeout;
  while (writer_->runs()) {
    if (steady_clock::now() >= deadline) return place + " (still being written)";
    if (is_stopped(write_interval)) return {};
  }
  if (writer_->exit_code() == 0) return place;
  const auto error = writer_->exit_code();
  throw Error(fmt::format("cannot write the stacks to {}: {}", text::in_quotes(place),
                          error ? std::strerror(*error) : "cannot start a process to write them"));
}

}  // namespace muster::hang
