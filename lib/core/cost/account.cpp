#include "core/cost/account.hpp"

#include <algorithm>

namespace muster::cost {
namespace {

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
  if (loss.startup || loss.lost_work) sum.has_progress = true;
  const auto startup = std::clamp(loss.startup.value_or(Time(0)), Time(0), ran);
  sum.startup += startup;
  sum.lost_work += std::clamp(loss.lost_work.value_or(Time(0)), Time(0), ran - startup);
}

void add(Account& sum, Stopwatch& watch, const Attempt& attempt, const Loss& loss, Time end) {
  watch.pass(sum.start, attempt.all_started.value_or(attempt.ceased), end);
  Time ran{0};
  watch.pass(ran, attempt.ceased, end);
  // If ranks were stopped while the supervisor was suspended, it is unknown for how long.
  ran -= std::clamp(attempt.asleep, Time(0), ran);
  sum.all_ran += ran;
  add_loss(sum, loss, ran);
  if (attempt.ending) watch.pass(attempt.hung ? sum.hang : sum.detection, *attempt.ending, end);
  watch.pass(sum.stop, attempt.over, end);
}

}  // namespace

Account account(std::span<const Attempt> attempts, std::span<const Loss> losses) {
  Account sum;
  if (attempts.empty()) return sum;
  Stopwatch watch(bounded(attempts.front().launched));
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    const auto& attempt = attempts[i];
    const auto launched = bounded(attempt.launched);
    if (i > 0) watch.pass(attempt.after_requeue ? sum.queue : sum.pauses, launched, launched);
    const bool is_last = i + 1 == attempts.size();
    const auto end = bounded(is_last ? attempt.over : attempts[i + 1].launched);
    add(sum, watch, attempt, i < losses.size() ? losses[i] : Loss(), end);
  }
  sum.wall = sum.all_ran + sum.start + sum.detection + sum.stop + sum.pauses + sum.hang + sum.queue;
  return sum;
}

Account sum(const Account& left, const Account& right) {
  return {.wall = left.wall + right.wall,
          .all_ran = left.all_ran + right.all_ran,
          .start = left.start + right.start,
          .detection = left.detection + right.detection,
          .stop = left.stop + right.stop,
          .pauses = left.pauses + right.pauses,
          .startup = left.startup + right.startup,
          .lost_work = left.lost_work + right.lost_work,
          .hang = left.hang + right.hang,
          .queue = left.queue + right.queue,
          .has_progress = left.has_progress || right.has_progress};
}

Time effective(const Account& account) {
  return account.all_ran - account.startup - account.lost_work;
}

double effective_share(const Account& account) {
  if (account.wall <= Time(0)) return 0;
  return static_cast<double>(effective(account).count()) /
         static_cast<double>(account.wall.count());
}

}  // namespace muster::cost
