#include "launcher/supervisor/successor/successor.hpp"

#include "core/error.hpp"
#include "core/restart/handover.hpp"
#include "core/text/number.hpp"
#include "launcher/channel/host_answers.hpp"
#include "launcher/os/resolve.hpp"
#include "launcher/slurm/ask.hpp"
#include "launcher/slurm/orders.hpp"
#include "launcher/supervisor/successor/takeover.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <string>
#include <thread>

#include <poll.h>
#include <unistd.h>

namespace muster::successor {
namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr milliseconds look_interval{1000};
constexpr milliseconds slow_interval{10000};  // used once the silence has lasted long
constexpr std::chrono::minutes fast_for{2};
constexpr milliseconds connect_time{1000};
constexpr std::chrono::seconds try_interval{15};
constexpr std::uint16_t some_port = 1;  // any port will do, because a refusal is an answer as well

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// How often the job had been requeued. Slurm tells this to the script, but not to a step.
std::uint32_t requeues_in(const std::vector<std::string>& environment) {
  static constexpr std::string_view name = "SLURM_RESTART_COUNT=";
  const auto found = std::ranges::find_if(
      environment, [](const auto& variable) { return variable.starts_with(name); });
  if (found == environment.end()) return 0;
  return text::number<std::uint32_t>(found->substr(name.size())).value_or(0);
}

class Successor {
 public:
  int run();

 private:
  enum class Heard { nothing, something, end };
  Heard listen(milliseconds timeout);
  void take(const restart::MessageReader::Message& message);
  bool is_over();
  bool look();

  restart::MessageReader reader_;
  bool is_open_ = true;
  std::optional<restart::Handover> handover_;
  channel::Address host_;
  Clock::time_point last_word_ = Clock::now();
  std::optional<restart::HostlessJob> first_;  // as first seen during this silence
  std::optional<Clock::time_point> tried_;
  Clock::time_point next_look_ = Clock::now();
};

int Successor::run() {
  std::signal(SIGPIPE, SIG_IGN);
  while (true) {
    const auto interval =
        handover_ ? restart::beat_interval(handover_->heartbeat) / 4 : milliseconds(look_interval);
    const auto heard = listen(std::clamp<milliseconds>(interval, milliseconds(50), look_interval));
    if (heard == Heard::end) return EXIT_SUCCESS;
    if (heard == Heard::something) {
      first_.reset();
      tried_.reset();
    } else if (is_over()) {
      return EXIT_SUCCESS;
    }
  }
}

// The stream may have ended only because its other end cannot be reached.
Successor::Heard Successor::listen(milliseconds timeout) {
  pollfd input{is_open_ ? STDIN_FILENO : -1, POLLIN, 0};
  if (poll(&input, 1, static_cast<int>(timeout.count())) <= 0) return Heard::nothing;
  std::array<char, 65536> chunk{};
  const auto size = read(STDIN_FILENO, chunk.data(), chunk.size());
  if (size <= 0) {
    is_open_ = false;
    return Heard::nothing;
  }
  last_word_ = Clock::now();
  reader_.add({chunk.data(), static_cast<std::size_t>(size)});
  while (const auto message = reader_.next()) {
    if (message->kind == restart::end_letter) return Heard::end;
    take(*message);
  }
  return Heard::something;
}

void Successor::take(const restart::MessageReader::Message& message) {
  if (message.kind == restart::handover_letter) {
    auto made = restart::handover_from(message.bytes);
    if (!made) throw Error("cannot read the supervisor's handover");
    const bool knows_host = handover_ && handover_->host == made->host;
    handover_ = std::move(made);
    if (!knows_host) host_ = {some_port, os::numeric_addresses(handover_->host)};
  }
  const auto line = std::string(restart::successor_answer) + '\n';
  [[maybe_unused]] const auto size = write(STDOUT_FILENO, line.data(), line.size());
}

// True if no successor is needed any more. Does not return if this one takes over.
bool Successor::is_over() {
  if (!handover_) return !is_open_;
  const auto now = Clock::now();
  const bool doubts = now - last_word_ > handover_->heartbeat * 2 / 3;
  if ((is_open_ && !doubts) || now < next_look_) return false;
  const bool is_long = now - last_word_ > fast_for;
  next_look_ = now + (is_long ? slow_interval : look_interval);
  return look();
}

bool Successor::look() {
  using restart::LostHost;
  // If the host is alive, the end of the stream means that the supervisor has ended.
  if (channel::host_answers(host_, connect_time)) return !is_open_;
  const auto job = variable("SLURM_JOB_ID");
  const auto found = slurm::ask_hostless_job(job, handover_->host);
  if (!found) return false;
  if (!first_) first_ = found;
  const restart::LostHostRules rules{.host = handover_->host,
                                     .requeues_before = requeues_in(handover_->environment),
                                     .step = handover_->supervisor_step};
  const auto verdict = decide_lost_host(rules, *first_, *found, restart::Successor::late);
  if (verdict == LostHost::leave) return true;
  const auto now = Clock::now();
  if (verdict == LostHost::wait) {
    if (!tried_ || now > *tried_ + try_interval) {
      tried_ = now;
      slurm::have_host_tried(found->job.task, rules.step);
    }
    return false;
  }
  const auto silence = duration_cast<milliseconds>(now - last_word_);
  if (silence < restart::takeover_time(handover_->heartbeat)) return false;
  handover_->silence = std::min<milliseconds>(silence, std::chrono::hours(24));
  handover_->successor_node = variable("SLURMD_NODENAME");
  handover_->successor_step = job + '.' + variable("SLURM_STEP_ID");
  take_over(*handover_, found->job);
}

}  // namespace

int wait_for_turn() {
  return Successor().run();
}

}  // namespace muster::successor
