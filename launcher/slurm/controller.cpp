#include "launcher/slurm/controller.hpp"

#include "launcher/os/held_signals.hpp"
#include "launcher/os/output.hpp"
#include "launcher/slurm/ask.hpp"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

namespace muster::slurm {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::minutes return_timeout{10};
constexpr milliseconds answer_timeout{2000};
constexpr milliseconds late_answer_timeout{10000};  // for the time when slurmctld is busy
constexpr milliseconds before_next_try{500};

}  // namespace

bool controller_answers(milliseconds timeout, int interrupt) {
  return ask_config(timeout, interrupt).config.has_value();
}

bool await_controller(int interrupt) {
  if (controller_answers(answer_timeout, interrupt)) return true;
  if (os::interrupted_before(Clock::now(), interrupt)) return false;
  os::say(os::Severity::warning,
          fmt::format("slurmctld does not answer: waiting up to {} min for it",
                      return_timeout.count()));
  const auto deadline = Clock::now() + return_timeout;
  while (Clock::now() < deadline) {
    if (controller_answers(late_answer_timeout, interrupt)) return true;
    if (os::interrupted_before(Clock::now() + before_next_try, interrupt)) return false;
  }
  return false;
}

}  // namespace muster::slurm
