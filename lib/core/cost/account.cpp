#include "core/cost/account.hpp"

#include <algorithm>

namespace muster::cost {
namespace {

// While the job waits in the queue, it has no GPUs.
constexpr std::string_view queue_cause = "queue";

// Adds up the time between successive moments.
class Stopwatch {
 public:
  explicit Stopwatch(Time begin) : now_(begin) {}

  // A moment before the current one adds nothing, and one after `end` counts as `end`.
  void pass(Time& part, Time moment, Time end) {
    const auto next = std::clamp(bounded(moment), now_, std::max(end, now_));
    part += next - now_;
    now_ = next;
  }

 private:
  Time now_;
};

// Times that do not fit together may leave less room than the losses need.
void add_loss(Account& sum, const Loss& loss, Time ran) {
  sum.has_startup = loss.startup.has_value();
  sum.has_progress = loss.lost_work.has_value();
  sum.startup = std::clamp(loss.startup.value_or(Time(0)), Time(0), ran);
  sum.lost_work = std::clamp(loss.lost_work.value_or(Time(0)), Time(0), ran - sum.startup);
}

void add(Account& sum, Stopwatch& watch, const Attempt& attempt, const Loss& loss, Time end) {
  watch.pass(sum.start, attempt.all_started.value_or(attempt.ceased), end);
  Time ran{0};
  watch.pass(ran, attempt.ceased, end);
  // If ranks were stopped while the supervisor was suspended, it is unknown for how long.
  ran -= std::clamp(attempt.asleep, Time(0), ran);
  sum.all_ran = ran;
  add_loss(sum, loss, ran);
  sum.last_effective = effective(sum);
  sum.held_up = std::clamp(attempt.held_up, Time(0), sum.last_effective);
  if (attempt.ending) watch.pass(attempt.hung ? sum.hang : sum.detection, *attempt.ending, end);
  watch.pass(sum.stop, attempt.over, end);
}

void add_gpus(Account& sum, std::uint32_t gpus) {
  if (gpus == 0) return;
  for (const auto& [cause, time] : lost_parts(sum)) {
    const auto seconds = std::chrono::duration<double>(time).count();
    sum.lost_gpus[cause] = cause == queue_cause ? 0 : seconds * gpus;
  }
}

}  // namespace

Account account(std::span<const Attempt> attempts, std::span<const Loss> losses) {
  Account all;
  if (attempts.empty()) return all;
  Stopwatch watch(bounded(attempts.front().launched));
  std::uint32_t gpus = 0;  // an attempt whose nodes have not told has those of the one before
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    const auto& attempt = attempts[i];
    const auto launched = bounded(attempt.launched);
    Account one;
    if (i > 0) watch.pass(attempt.after_requeue ? one.queue : one.pauses, launched, launched);
    const bool is_last = i + 1 == attempts.size();
    const auto end = bounded(is_last ? attempt.over : attempts[i + 1].launched);
    add(one, watch, attempt, i < losses.size() ? losses[i] : Loss(), end);
    one.wall =
        one.all_ran + one.start + one.detection + one.stop + one.pauses + one.hang + one.queue;
    gpus = attempt.gpus > 0 ? attempt.gpus : gpus;
    add_gpus(one, gpus);
    all = sum(all, one);
  }
  return all;
}

Account sum(const Account& left, const Account& right) {
  Account both{.wall = left.wall + right.wall,
               .all_ran = left.all_ran + right.all_ran,
               .start = left.start + right.start,
               .detection = left.detection + right.detection,
               .stop = left.stop + right.stop,
               .pauses = left.pauses + right.pauses,
               .startup = left.startup + right.startup,
               .lost_work = left.lost_work + right.lost_work,
               .hang = left.hang + right.hang,
               .queue = left.queue + right.queue,
               .has_progress = left.has_progress || right.has_progress,
               .has_startup = left.has_startup || right.has_startup,
               .held_up = left.held_up + right.held_up,
               .last_effective = right.last_effective,
               .lost_gpus = left.lost_gpus};
  for (const auto& [cause, seconds] : right.lost_gpus) both.lost_gpus[cause] += seconds;
  return both;
}

Time effective(const Account& account) {
  return account.all_ran - account.startup - account.lost_work;
}

double effective_share(const Account& account) {
  if (account.wall <= Time(0)) return 0;
  return static_cast<double>(effective(account).count()) /
         static_cast<double>(account.wall.count());
}

Time lost_work_limit(const Account& account) {
  if (account.has_progress) return Time(0);
  return std::max(effective(account) - account.last_effective, Time(0));
}

std::vector<Part> lost_parts(const Account& account) {
  std::vector<Part> parts{{"launch", account.start}, {"detection", account.detection},
                          {"hang", account.hang},    {"stop", account.stop},
                          {"pause", account.pauses}, {queue_cause, account.queue}};
  if (account.has_progress) parts.push_back({"lost_work", account.lost_work});
  if (account.has_startup) parts.push_back({"program_start", account.startup});
  return parts;
}

}  // namespace muster::cost
