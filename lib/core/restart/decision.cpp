#include "core/restart/decision.hpp"

#include "core/contains.hpp"
#include "core/restart/requeue.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

namespace muster::restart {
namespace {

using report::Cause;
using report::Report;
using report::Result;
using std::chrono::seconds;

constexpr seconds young{
    10};  // an attempt dies young if it fails within this time after its first rank's start
constexpr seconds max_pause{30};
constexpr std::size_t max_idle = 3;  // attempts without progress

// States of a job that has no nodes for another step. The other final states lead to a result of their own.
bool is_over(std::string_view state) {
  constexpr std::array over{std::string_view("NODE_FAIL"),    std::string_view("COMPLETING"),
                            std::string_view("COMPLETED"),    std::string_view("FAILED"),
                            std::string_view("BOOT_FAIL"),    std::string_view("OUT_OF_MEMORY"),
                            std::string_view("LAUNCH_FAILED")};
  return contains(over, state);
}

bool has_started(const AttemptHistory& attempt) {
  return attempt.first_start.has_value();
}

// The end was intended, or Slurm has taken the nodes. The report says everything.
bool is_final(std::span<const AttemptHistory> past, const Report& last) {
  if (last.result != Result::failed || last.cause == Cause::user || last.cause == Cause::slurm) {
    return true;
  }
  return last.cause == Cause::launch && std::ranges::none_of(past, has_started);
}

// It is unknown where the first attempt began, unless it has written nothing at all. An attempt that found
// its port taken could not make progress.
bool is_idle(std::span<const AttemptHistory> past, std::size_t i) {
  if (!past[i].progress || past[i].port_taken) return false;
  return i == 0 ? past[i].progress->empty() : past[i].progress == past[i - 1].progress;
}

std::size_t idle_attempts(std::span<const AttemptHistory> past) {
  std::size_t count = 0;
  while (count < past.size() && is_idle(past, past.size() - 1 - count)) ++count;
  return count;
}

// This many in a row cost no restart.
constexpr std::size_t max_free = 3;

// Not the program's fault: its port was taken, or the launch failed after a rank had run in an earlier
// attempt: all ports that Slurm leases were taken, or slurmctld was restarting and refused steps for some
// seconds.
bool is_free(const AttemptHistory& attempt, bool ran) {
  return attempt.port_taken || (ran && attempt.cause == Cause::launch);
}

// An attempt that did not fail, but ended because of a requeue for example, costs no restart either.
std::size_t failures(std::span<const AttemptHistory> past) {
  std::size_t count = 0;
  std::size_t free_ones = 0;
  bool ran = false;
  for (const auto& attempt : past) {
    ran = ran || has_started(attempt);
    if (attempt.result != Result::failed) continue;
    free_ones = is_free(attempt, ran) ? free_ones + 1 : 0;
    if (free_ones == 0 || free_ones > max_free) ++count;
  }
  return count;
}

std::string used_up(std::uint32_t restarts) {
  return restarts == 1 ? "the only restart is used up"
                       : fmt::format("all {} restarts are used up", restarts);
}

// A lost node says nothing about the program. Clock errors may put the failure before the start.
bool died_young(const AttemptHistory& attempt) {
  if (attempt.cause == Cause::node) return false;
  if (attempt.cause == Cause::launch) return true;
  return attempt.failed < attempt.first_start.value_or(attempt.launched) + young;
}

std::size_t young_deaths(std::span<const AttemptHistory> past) {
  std::size_t count = 0;
  while (count < past.size() && died_young(past[past.size() - 1 - count])) ++count;
  return count;
}

// None, 1 s, 2 s, 4 s, ...
seconds pause_after(std::size_t deaths) {
  constexpr std::size_t doublings = 5;
  if (deaths < 2) return seconds(0);
  return std::min(seconds(1U << std::min(deaths - 2, doublings)), max_pause);
}

Decision go_on(std::span<const AttemptHistory> past) {
  const auto deaths = young_deaths(past);
  const auto pause = pause_after(deaths);
  if (pause.count() == 0) return {true, {}, pause};
  return {
      true,
      fmt::format("{} attempts in a row ended within {} s of their start", deaths, young.count()),
      pause};
}

}  // namespace

Decision decide(const Rules& rules, std::span<const AttemptHistory> past, const Report& last) {
  if (rules.restarts == 0 || is_final(past, last)) return {};
  if (const auto* const rank = rank_that_forbids(rules.norestart, last)) {
    return {false, fmt::format("exit code {} ends the run (norestart=)", failure_code(*rank)), {}};
  }
  if (is_over(last.slurm.job_state)) {
    return {false, fmt::format("the Slurm job has ended ({})", last.slurm.job_state), {}};
  }
  if (failures(past) > rules.restarts) return {false, used_up(rules.restarts), {}};
  if (idle_attempts(past) >= max_idle) {
    return {false, fmt::format("{} attempts in a row made no progress", max_idle), {}};
  }
  return go_on(past);
}

}  // namespace muster::restart
