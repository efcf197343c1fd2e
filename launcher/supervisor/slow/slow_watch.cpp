#include "launcher/supervisor/slow/slow_watch.hpp"

#include "core/error.hpp"
#include "core/slow/text.hpp"

#include <exception>

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>

namespace muster::slow {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds interval{2000};
constexpr milliseconds time_to_examine{9000};  // then the line comes without a cause
constexpr std::size_t max_pieces =
    8192;  // between two looks; each node sends one in five seconds at most

}  // namespace

SlowWatch::SlowWatch(const Limits& limits, SlowWatchHooks hooks)
    : hooks_(std::move(hooks)), stops_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), tracker_(limits) {
  if (!stops_)
    throw Error("slow= cannot watch the step: no file descriptor is left; raise `ulimit -n`");
}

SlowWatch::~SlowWatch() {
  stop();
}

void SlowWatch::stop() {
  if (!thread_.joinable()) return;
  eventfd_write(stops_.get(), 1);
  thread_.join();
}

void SlowWatch::start() {
  thread_ = std::thread([this] {
    try {
      run();
    } catch (const std::exception& error) {
      hooks_.say(text::Severity::warning,
                 fmt::format("slow= no longer watches the step: {}", error.what()));
    }
  });
}

void SlowWatch::add(std::size_t node, Piece piece) {
  const std::lock_guard lock(mutex_);
  if (pieces_.size() < max_pieces) pieces_.emplace_back(node, std::move(piece));
}

std::vector<Named> SlowWatch::named() const {
  const std::lock_guard lock(mutex_);
  return named_;
}

bool SlowWatch::is_stopped(milliseconds within) const {
  pollfd stops{stops_.get(), POLLIN, 0};
  return poll(&stops, 1, static_cast<int>(within.count())) > 0;
}

void SlowWatch::examined(std::size_t node, std::uint32_t number, const Evidence& evidence) {
  const std::lock_guard lock(mutex_);
  if (answers_.size() < max_named) answers_.push_back({node, number, evidence});
}

void SlowWatch::run() {
  while (!is_stopped(interval)) look();
  for (auto& [index, due] : to_say_) due = {};
  say_due();
}

void SlowWatch::look() {
  std::vector<std::pair<std::size_t, Piece>> pieces;
  std::vector<Answer> answers;
  {
    const std::lock_guard lock(mutex_);
    pieces.swap(pieces_);
    answers.swap(answers_);
  }
  for (const auto& answer : answers) explain(answer.node, answer.number, answer.evidence);
  if (!pieces.empty()) {
    for (const auto& [node, piece] : pieces) tracker_.add(node, piece);
    for (const auto index : tracker_.look(hooks_.now(), hooks_.name_of)) {
      to_say_[index] = std::chrono::steady_clock::now() + time_to_examine;
      hooks_.examine(static_cast<std::uint32_t>(index), tracker_.node_of(index),
                     tracker_.named()[index].rank);
    }
  }
  {
    const std::lock_guard lock(mutex_);
    named_ = tracker_.named();
  }
  say_due();
}

// A node explains only its own ranks.
void SlowWatch::explain(std::size_t node, std::uint32_t number, const Evidence& evidence) {
  const auto found = to_say_.find(number);
  if (found == to_say_.end() || tracker_.node_of(number) != node) return;
  tracker_.explain(number, cause_of(evidence));
  found->second = {};
}

void SlowWatch::say_due() {
  const auto now = std::chrono::steady_clock::now();
  std::erase_if(to_say_, [&](const auto& each) {
    if (each.second > now) return false;
    hooks_.say(text::Severity::warning, "slow=: " + line(tracker_.named()[each.first]));
    return true;
  });
}

}  // namespace muster::slow
