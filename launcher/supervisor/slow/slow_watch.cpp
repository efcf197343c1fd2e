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
// Between two looks; each node sends one of each in five seconds at most.
constexpr std::size_t max_messages = 8192;
constexpr std::size_t max_answers = 64;

}  // namespace

SlowWatch::SlowWatch(const Limits& limits, SlowWatchHooks hooks)
    : hooks_(std::move(hooks)), stops_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), findings_(limits) {
  if (!stops_)
    throw Error("slow= cannot watch the step: no file descriptors are left; raise `ulimit -n`");
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
  if (pieces_.size() < max_messages) pieces_.emplace_back(node, std::move(piece));
}

void SlowWatch::add(std::size_t node, Traffic traffic) {
  const std::lock_guard lock(mutex_);
  if (traffic_.size() < max_messages) traffic_.emplace_back(node, std::move(traffic));
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
  if (answers_.size() < max_answers) answers_.push_back({node, number, evidence});
}

void SlowWatch::run() {
  while (!is_stopped(interval)) look();
  say(findings_.end(hooks_.now()));
}

void SlowWatch::look() {
  std::vector<std::pair<std::size_t, Piece>> pieces;
  std::vector<std::pair<std::size_t, Traffic>> traffic;
  std::vector<Answer> answers;
  {
    const std::lock_guard lock(mutex_);
    pieces.swap(pieces_);
    traffic.swap(traffic_);
    answers.swap(answers_);
  }
  const auto now = hooks_.now();
  for (const auto& answer : answers)
    findings_.examined(answer.node, answer.number, answer.evidence);
  for (const auto& [node, piece] : pieces) findings_.add(node, piece);
  for (const auto& [node, each] : traffic) findings_.add(node, each, now);
  const auto result = findings_.look(now, hooks_.name_of);
  for (const auto& question : result.questions)
    hooks_.examine(question.number, question.node, question.rank);
  say(result.fresh);
}

void SlowWatch::say(const std::vector<Named>& fresh) {
  {
    const std::lock_guard lock(mutex_);
    named_ = findings_.named();
  }
  for (const auto& named : fresh) hooks_.say(text::Severity::warning, "slow=: " + line(named));
}

}  // namespace muster::slow
