// Signals from the user and from Slurm during an attempt: which of them end the step, which go to the ranks,
// and which go to srun. Between attempts: attempts/interruption.hpp. In `muster run`:
// tools/local/starter.cpp.
#include "core/contains.hpp"
#include "core/slurm/config.hpp"
#include "launcher/slurm/job_state.hpp"
#include "launcher/supervisor/supervision/supervision.hpp"

#include <array>
#include <csignal>
#include <string>

namespace muster::supervision {
namespace {

using std::chrono::steady_clock;

// Signals that srun would turn into SIGKILL for every task.
constexpr std::array taken_signals{SIGTERM, SIGHUP};

constexpr std::size_t max_signals = 64;

// Whether Slurm is ending the step's job. It has then sent the signal to the batch step, or to salloc, and to
// all other steps of the job, and kills what is left of them after its KillWait.
bool slurm_ends(const std::string& job) {
  if (job.empty()) return false;
  const auto state = slurm::ask_job_state({.id = job}).job_state;
  return !state.empty() && state != "RUNNING" && state != "SUSPENDED";
}

}  // namespace

void Supervision::note(int signal) {
  if (signals_.size() < max_signals) {
    signals_.push_back({signal, watch_server_->moment(steady_clock::now())});
  }
}

// srun has received it as well, and acts on it.
void Supervision::interrupted() {
  if (ctrl_c_.ends_step(steady_clock::now())) note(SIGINT);
}

void Supervision::stop() {
  if (has_told()) return;
  note(SIGTERM);
  tell_agents();
}

// False if no agent can pass it on yet; the signal then ends the child.
bool Supervision::ends_by(int signal) {
  note(signal);
  if (!watch_server_->signal_all(signal)) return false;
  const std::lock_guard lock(mutex_);
  ending_.told = steady_clock::now();
  ending_.grace = policy_.grace.value_or(slurm::default_kill_wait);
  return true;
}

// The ranks have received the signal from Slurm. A second one would end those that are writing a checkpoint
// after the first.
bool Supervision::is_slurms_to_all(int signal) {
  const bool may_be = contains(taken_signals, signal);
  if (!may_be || has_told() || !slurm_ends(policy_.job)) return false;
  note(signal);
  const std::lock_guard lock(mutex_);
  ending_.ends_by_first_failure = false;
  return true;
}

bool Supervision::takes(int signal) {
  if (is_slurms_to_all(signal)) return true;
  if (signal == SIGTERM && policy_.term_stops && !has_told()) {
    stop();
    return true;
  }
  const bool ends = contains(policy_.ending_signals, signal);
  if (ends && !has_told()) return ends_by(signal);
  note(signal);
  // A second signal that ends the ranks goes to srun, or to `muster run`'s starter, which kills them at once.
  return !ends && contains(taken_signals, signal) && watch_server_->signal_all(signal);
}

}  // namespace muster::supervision
